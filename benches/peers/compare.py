"""The same work by scikit-learn and by bvlab, one thread each, and how many times as fast bvlab is.

One unit of work is one training set: draw it, fit every setting of the sweep, predict at all test
points and at the training points, and add up what bias, variance and training error need. Both sides
do that; the data are drawn by each in its own way, the problem is the same. bvlab also draws fresh
labels for the testing error, and of the first 24 training sets the singular values of features, which
its tables show. Times are per training set, the best of five runs of each side, which take turns.
"""

import sys
import time
from pathlib import Path

import numpy as np
from sklearn.ensemble import BaggingRegressor
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures
from sklearn.tree import DecisionTreeRegressor

sys.path.append(str(Path(__file__).resolve().parent.parent))
import task as bvlab  # noqa: E402

SINE = dict(bvlab.SINE, low=0.0, high=15.0)
UNIT = dict(truth="sin(2*pi*x)", inputs="{ uniform = [0, 1] }", noise=0.3, low=0.0, high=1.0)
GRID = dict(UNIT, inputs="{ grid = [0, 1] }")


class Fourier:
    """Least squares of minimum norm on random Fourier features, with numpy's SVD-based solver."""

    def __init__(self, frequencies, phases, count):
        self.w, self.b, self.p = frequencies[:count], phases[:count], count

    def features(self, x):
        return np.sqrt(2 / self.p) * np.cos(np.outer(x[:, 0], self.w) + self.b)

    def fit(self, x, y):
        self.weights = np.linalg.lstsq(self.features(x), y, rcond=None)[0]
        return self

    def predict(self, x):
        return self.features(x) @ self.weights


def fourier_models(rng):
    counts = np.unique(np.round(np.geomspace(1, 1000, 60)).astype(int))
    frequencies, phases = 236 * rng.standard_normal(1000), 2 * np.pi * rng.random(1000)
    return [Fourier(frequencies, phases, count) for count in counts]


def polynomial(degree, model):
    return make_pipeline(PolynomialFeatures(degree, include_bias=False), model)


TASKS = [
    dict(
        name="trees, n = 100, depth 1–16",
        problem=SINE, train=100, sweep='depth = "1..16"', learner="tree = {}",
        models=lambda rng: [DecisionTreeRegressor(max_depth=d) for d in range(1, 17)],
        ours=20000, theirs=40,
    ),
    dict(
        name="kNN, n = 100, k 1–50",
        problem=SINE, train=100, sweep='k = "1..50"', learner="knn = {}",
        models=lambda rng: [KNeighborsRegressor(k) for k in range(1, 51)],
        ours=20000, theirs=20,
    ),
    dict(
        name="polynomials, n = 50, degree 0–15, λ = 0",
        problem=UNIT, train=50, sweep='degree = "0..15"', learner="polynomial = {}",
        models=lambda rng: [polynomial(d, LinearRegression()) for d in range(1, 16)],
        ours=20000, theirs=60,
    ),
    dict(
        name="polynomials, n = 50, degree 0–15, λ = 0.1",
        problem=UNIT, train=50, sweep='degree = "0..15"', learner="polynomial = { lambda = 0.1 }",
        models=lambda rng: [polynomial(d, Ridge(0.1)) for d in range(1, 16)],
        ours=5000, theirs=60,
    ),
    dict(
        name="bagging of 50 full trees, n = 100",
        problem=SINE, train=100, sweep="members = [50]", learner="bagging = { base = { tree = {} } }",
        models=lambda rng: [BaggingRegressor(DecisionTreeRegressor(), n_estimators=50)],
        ours=2000, theirs=40,
    ),
    dict(
        name="random features, 100 equispaced inputs, 60 values of p to 1000 (numpy)",
        problem=GRID, train=100,
        sweep='features = { from = 1, to = 1000, count = 60, scale = "log" }',
        learner="fourier = { scale = 236 }",
        models=fourier_models,
        ours=1000, theirs=4,
    ),
]


def by_scikit_learn(task, count):
    """Seconds per training set."""
    problem, train = task["problem"], task["train"]
    low, high = problem["low"], problem["high"]
    frequency = 2 * np.pi if high == 1 else 1.0
    truth = lambda x: np.sin(frequency * x[:, 0])
    test = (low + (high - low) * (np.arange(200) + 0.5) / 200)[:, None]
    rng = np.random.default_rng(1)
    sums, begin = None, time.perf_counter()
    for _ in range(count):
        if "grid" in problem["inputs"]:
            x = (low + (high - low) * (np.arange(train) + 0.5) / train)[:, None]
        else:
            x = rng.uniform(low, high, (train, 1))
        y = truth(x) + problem["noise"] * rng.standard_normal(train)
        models = task["models"](rng)
        if sums is None:
            sums = np.zeros((3, len(models), 200))
        for i, model in enumerate(models):
            fitted = model.fit(x, y)
            away = fitted.predict(test) - truth(test)
            sums[0, i] += away
            sums[1, i] += away * away
            sums[2, i] += np.mean((fitted.predict(x) - y) ** 2)
    return (time.perf_counter() - begin) / count


def by_bvlab(program, task):
    """Seconds per training set."""
    problem = {key: task["problem"][key] for key in ("truth", "inputs", "noise")}
    own = {key: task[key] for key in ("train", "sweep", "learner")}
    return bvlab.seconds(program, **problem, **own, resamples=task["ours"])


def main():
    program = sys.argv[1]
    print("| work per training set | scikit-learn | bvlab | ratio |")
    print("|---|---|---|---|")
    for task in TASKS:
        theirs, ours = [], []
        for _ in range(5):
            theirs.append(by_scikit_learn(task, task["theirs"]))
            ours.append(by_bvlab(program, task))
        theirs, ours = min(theirs), min(ours)
        name = task["name"]
        print(f"| {name} | {1e3 * theirs:.1f} ms | {1e6 * ours:.0f} µs | {theirs / ours:.0f} |", flush=True)


if __name__ == "__main__":
    main()
