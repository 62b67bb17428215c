"""Networks with one hidden layer: scikit-learn, PyTorch and bvlab, one thread each.

One unit of work is one training set of 100 points of the noisy sine: draw it, train one network of each
width by full-batch Adam, predict at 200 test points, and add up what bias and variance need. PyTorch
trains one network after another, and 32 training sets' networks at once by batched products; its
numbers have 64 bits, as those of the others. Times are processor times per training set, the median of
five runs, which take turns.
"""

import resource
import statistics
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPRegressor

sys.path.append(str(Path(__file__).resolve().parent.parent))
import task as bvlab  # noqa: E402

try:
    import torch
except ImportError:
    torch = None
else:
    torch.set_num_threads(1)
    torch.set_default_dtype(torch.float64)

warnings.simplefilter("ignore", ConvergenceWarning)

TRAIN, TEST, STEPS, RATE, TOGETHER = 100, 200, 1000, 0.01, 32
GRID = 15 * (np.arange(TEST) + 0.5) / TEST
MEAN, SD = 7.5, 15 / np.sqrt(12)


def draw(rng, count):
    x = rng.uniform(0, 15, (count, TRAIN))
    y = np.sin(x) + 0.5 * rng.standard_normal((count, TRAIN))
    return (x - MEAN) / SD, y


def tally(sums, predictions):
    away = predictions - np.sin(GRID)
    sums[0] += away.sum(axis=0)
    sums[1] += (away**2).sum(axis=0)


def by_scikit_learn(width, rng, count):
    test, sums = ((GRID - MEAN) / SD)[:, None], np.zeros((2, TEST))
    for _ in range(count):
        x, y = draw(rng, 1)
        model = MLPRegressor(
            hidden_layer_sizes=(width,), activation="tanh", alpha=0, batch_size=TRAIN, learning_rate_init=RATE,
            max_iter=STEPS, tol=0, n_iter_no_change=STEPS + 1, shuffle=False,
        )
        tally(sums, model.fit(x[0][:, None], y[0]).predict(test)[None, :])
    return sums


def by_torch(width, rng, count, together):
    """`together` networks at once, each on a training set of its own."""
    test, sums = torch.tensor((GRID - MEAN) / SD)[None, :, None], np.zeros((2, TEST))
    for _ in range(count // together):
        x, y = (torch.tensor(values)[:, :, None] for values in draw(rng, together))
        shapes = [(1, width), (1, width), (width, 1), (1, 1)]
        weights = [torch.randn(together, *shape) for shape in shapes]
        weights[2] /= width**0.5
        for weight in weights:
            weight.requires_grad_()
        predict = lambda at: torch.baddbmm(
            weights[3], torch.tanh(torch.baddbmm(weights[1], at, weights[0])), weights[2]
        )
        adam = torch.optim.Adam(weights, lr=RATE)
        for _ in range(STEPS):
            adam.zero_grad()
            # The sum over networks: none changes another's gradient.
            (((predict(x) - y) ** 2).mean(dim=(1, 2)).sum() / 2).backward()
            adam.step()
        with torch.no_grad():
            tally(sums, predict(test.expand(together, -1, -1))[:, :, 0].numpy())
    return sums


def own_seconds(work, *given):
    begin = time.process_time()
    work(*given)
    return time.process_time() - begin


def by_bvlab(program, width, count):
    """Processor seconds per training set, the start of the program (some 20 ms) included."""
    used = lambda: sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
    begin = used()
    bvlab.seconds(
        program, **bvlab.SINE, train=TRAIN, sweep=f"width = [{width}]",
        learner=f"network = {{ epochs = {STEPS}, rate = {RATE} }}", resamples=count,
    )
    return (used() - begin) / count


def row(program, width):
    rng = np.random.default_rng(1)
    sides = {"bvlab": lambda: by_bvlab(program, width, 1000)}
    sides["scikit-learn"] = lambda: own_seconds(by_scikit_learn, width, rng, 4) / 4
    if torch is not None:
        sides["one"] = lambda: own_seconds(by_torch, width, rng, 4, 1) / 4
        sides["many"] = lambda: own_seconds(by_torch, width, rng, TOGETHER, TOGETHER) / TOGETHER
    times = {name: [] for name in sides}
    for _ in range(5):
        for name, side in sides.items():
            times[name].append(side())
    median = {name: 1e3 * statistics.median(values) for name, values in times.items()}
    ours = median["bvlab"]
    cells = [f"{median['scikit-learn']:.0f} ms ({median['scikit-learn'] / ours:.0f})"]
    for name in ("one", "many"):
        cells.append(f"{median[name]:.1f} ms ({median[name] / ours:.1f})" if torch else "–")
    print(f"| {width} units | {' | '.join(cells)} | {ours:.2f} ms |", flush=True)


def main():
    print(f"| networks, n = {TRAIN}, {STEPS} steps | scikit-learn | PyTorch | PyTorch, {TOGETHER} at once | bvlab |")
    print("|---|---|---|---|---|")
    for width in (1, 5, 10, 20):
        row(sys.argv[1], width)
    if torch is None:
        print("PyTorch is not installed: benches/peers/run.sh --torch", file=sys.stderr)


if __name__ == "__main__":
    main()
