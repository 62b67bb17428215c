"""One run of bvlab with one learner, and how long it took."""

import json
import subprocess
import tempfile
from pathlib import Path

EXPERIMENT = """
[problem]
truth  = "{truth}"
inputs = {inputs}
noise  = {{ normal = {noise} }}
train  = {train}

[sweep]
{sweep}

[[learner]]
{learner}

[run]
resamples = {resamples}
test = {{ grid = {test} }}
keep = 1
"""

SINE = dict(truth="sin(x)", inputs="{ uniform = [0, 15] }", noise=0.5)


def seconds(program, threads=1, test=200, **experiment):
    """Seconds per training set, as the run itself reports them: without tables and start."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "task.toml"
        file.write_text(EXPERIMENT.format(test=test, **experiment))
        command = [program, "run", file, "--threads", str(threads), "--quiet", "--out", folder]
        quiet = dict(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        subprocess.run(command, check=True, **quiet)
        manifest = json.loads((Path(folder) / "task" / "manifest.json").read_text())
        return manifest["seconds"] / manifest["resamples"]
