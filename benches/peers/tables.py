"""The bias and variance of trees on a table, by mlxtend and by bvlab, one thread each.

One unit of work is what `mlxtend.evaluate.bias_variance_decomp` does: 200 bootstraps of 300 rows with 10
columns, a tree for each, its predictions at 100 other rows, and the decomposition of its error. Over 16
depths mlxtend is called 16 times, as it has to be. Both sides read the same two tables, one of two classes
and one of numbers. bvlab also measures the training error, and error bars. Times are the best of five runs
of each side, which take turns.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np  # noqa: E402
from mlxtend.evaluate import bias_variance_decomp  # noqa: E402
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor  # noqa: E402

TRAIN, TEST, COLUMNS, ROUNDS = 300, 100, 10, 200
DEPTHS = range(1, 17)

EXPERIMENT = """
[problem]
table    = "{table}"
target   = "y"
classes  = {classes}
test     = {{ column = "held" }}
resample = "bootstrap"

{sweep}

[[learner]]
tree = {{}}

[run]
resamples = {rounds}
keep = 1
"""


def tables(folder):
    """The two tables: inputs and labels, and the file that bvlab reads."""
    rng = np.random.default_rng(1)
    x = rng.standard_normal((TRAIN + TEST, COLUMNS))
    signal = x[:, 0] + x[:, 1] * x[:, 2] + np.sin(2 * x[:, 3])
    numbers = signal + 0.5 * rng.standard_normal(TRAIN + TEST)
    held = np.arange(TRAIN + TEST) >= TRAIN
    names = [f"x{i + 1}" for i in range(COLUMNS)]
    for name, y in (("classes", (numbers > 0).astype(int)), ("numbers", numbers)):
        rows = [names + ["y", "held"]]
        rows += [[*map(repr, map(float, a)), repr(b.item()), str(int(c))] for a, b, c in zip(x, y, held)]
        file = folder / f"{name}.csv"
        file.write_text("".join(",".join(row) + "\n" for row in rows))
        yield name, x, y, file


def by_mlxtend(name, x, y, depths):
    """Seconds, and what came out for the last depth: expected loss, bias and variance."""
    model = DecisionTreeClassifier if name == "classes" else DecisionTreeRegressor
    loss = "0-1_loss" if name == "classes" else "mse"
    parts = x[:TRAIN], y[:TRAIN], x[TRAIN:], y[TRAIN:]
    begin = time.perf_counter()
    for depth in depths:
        result = bias_variance_decomp(
            model(max_depth=depth), *parts, loss=loss, num_rounds=ROUNDS, random_seed=1
        )
    return time.perf_counter() - begin, result


def by_bvlab(program, name, file, sweep):
    """Seconds, as the run itself reports them: without tables and start."""
    with tempfile.TemporaryDirectory() as folder:
        experiment = Path(folder) / "task.toml"
        experiment.write_text(
            EXPERIMENT.format(
                table=file, classes=str(name == "classes").lower(), sweep=sweep, rounds=ROUNDS
            )
        )
        command = [program, "run", experiment, "--threads", "1", "--quiet", "--out", folder]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return json.loads((Path(folder) / "task" / "manifest.json").read_text())["seconds"]


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else None
    print(f"| {ROUNDS} bootstraps of {TRAIN} × {COLUMNS}, {TEST} test rows | mlxtend | bvlab | ratio |")
    print("|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, x, y, file in tables(Path(folder)):
            for work, depths, sweep in (
                ("full trees", [None], ""),
                ("trees, depth 1–16", DEPTHS, '[sweep]\ndepth = "1..16"'),
            ):
                theirs, ours = [], []
                for _ in range(5):
                    theirs.append(by_mlxtend(name, x, y, depths)[0])
                    if program:
                        ours.append(by_bvlab(program, name, file, sweep))
                theirs = min(theirs)
                row = f"| {work}, {name} | {1e3 * theirs:.0f} ms |"
                if program:
                    row += f" {1e3 * min(ours):.1f} ms | {theirs / min(ours):.0f} |"
                print(row, flush=True)


if __name__ == "__main__":
    main()
