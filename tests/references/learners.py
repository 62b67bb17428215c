"""Writes learners.toml: small data sets, and what scikit-learn, scipy and statsmodels predict from them.

    python -m venv venv && venv/bin/pip install scikit-learn==1.9.1 scipy==1.17.1 statsmodels==0.15.0
    venv/bin/pip install mpmath==1.4.1
    venv/bin/python tests/references/learners.py

tests/bvlab/references.rs compares the learners of bvlab with it.
"""

from pathlib import Path

import mpmath
import numpy as np
from scipy.interpolate import make_smoothing_spline
from sklearn.decomposition import PCA
from sklearn.linear_model import Lasso, LinearRegression
from sklearn.naive_bayes import BernoulliNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from statsmodels.nonparametric.kernel_regression import KernelReg

OUT = Path(__file__).resolve().parent / "learners.toml"
lines = ["# Written by learners.py.\n"]


def numbers(values):
    return "[" + ", ".join(repr(float(value)) for value in np.ravel(values)) + "]"


def case(learner, x, y, at, settings, predictions, **more):
    """One data set, and the predictions of every setting at some points, one setting after the other."""
    x, at = np.atleast_2d(np.asarray(x, float).T).T, np.atleast_2d(np.asarray(at, float).T).T
    lines.append("\n[[case]]\n")
    lines.append(f'learner = "{learner}"\ndimension = {x.shape[1]}\n')
    for key, value in more.items():
        lines.append(f"{key} = {value}\n")
    lines.append(f"inputs = {numbers(x)}\nlabels = {numbers(y)}\nat = {numbers(at)}\n")
    lines.append(f"settings = {numbers(settings)}\npredictions = {numbers(predictions)}\n")


def spline(rng):
    x = np.sort(np.round(rng.uniform(0, 10, 40), 2))
    x[7] = x[6]  # equal inputs, and near ones
    x[20] = x[19] + 1e-4
    y = np.round(np.sin(x) + rng.normal(0, 0.3, 40), 3)
    sites, where, counts = np.unique(x, return_inverse=True, return_counts=True)
    means = np.bincount(where, y) / counts
    at = np.linspace(x[0], x[-1], 25)
    lambdas = [1e-3, 0.1, 1, 30, 1e4]
    found = [make_smoothing_spline(sites, means, counts, lam)(at) for lam in lambdas]
    case("spline", x, y, at, lambdas, found)
    exact = [spline_in_many_digits(sites, means, counts, lam, at) for lam in lambdas]
    case("spline-in-many-digits", x, y, at, lambdas, exact)


def spline_in_many_digits(sites, means, counts, lam, at):
    """Reinsch's equations in 40 digits: scipy's own error is 10⁻⁹ where two inputs are close."""
    mpmath.mp.dps = 40
    s, y = [mpmath.mpf(t) for t in sites], mpmath.matrix([mpmath.mpf(m) for m in means])
    n, h = len(s), [b - a for a, b in zip(s, s[1:])]
    q, r = mpmath.zeros(n, n - 2), mpmath.zeros(n - 2, n - 2)
    for j in range(n - 2):
        q[j, j], q[j + 1, j], q[j + 2, j] = 1 / h[j], -1 / h[j] - 1 / h[j + 1], 1 / h[j + 1]
        r[j, j] = (h[j] + h[j + 1]) / 3
        if j + 1 < n - 2:
            r[j, j + 1] = r[j + 1, j] = h[j + 1] / 6
    smoothed = mpmath.diag([lam / mpmath.mpf(int(count)) for count in counts]) * q
    bends = mpmath.lu_solve(r + q.T * smoothed, q.T * y)
    values = y - smoothed * bends
    bends = [0, *bends, 0]
    found = []
    for t in map(mpmath.mpf, at):
        i = max(k for k in range(n - 1) if s[k] <= t)
        a = (s[i + 1] - t) / h[i]
        b = 1 - a
        bent = ((a**3 - a) * bends[i] + (b**3 - b) * bends[i + 1]) * h[i] ** 2 / 6
        found.append(float(a * values[i] + b * values[i + 1] + bent))
    return found


def local(rng):
    for dimension, widths in [(1, [0.05, 0.2, 1.5]), (2, [0.2, 0.6])]:
        x = np.round(rng.uniform(0, 1, (45, dimension)), 3)
        y = np.round(np.sin(5 * x[:, 0]) + rng.normal(0, 0.2, 45), 3)
        at = np.round(rng.uniform(0, 1, (20, dimension)), 3)
        kinds = "c" * dimension
        found = [KernelReg(y, x, kinds, "ll", bw=[h] * dimension).fit(at)[0] for h in widths]
        case("local", x, y, at, widths, found)


def lasso(rng):
    for n, p, lambdas in [(30, 8, [1e-4, 0.01, 0.1, 0.5, 2]), (12, 25, [1e-3, 0.02, 0.2, 0.6])]:
        x = rng.normal(0, 1, (n, p))
        x[:, 1:] += 0.8 * x[:, :-1]
        x = np.round(x * np.linspace(0.5, 3, p), 3)
        y = np.round(3 + 2 * x[:, 0] - x[:, 3] + rng.normal(0, 0.5, n), 3)
        at = np.round(rng.normal(0, 2, (10, p)), 3)
        for scale in ["none", "sd"]:
            found = []
            for lam in lambdas:
                model = Lasso(alpha=lam, tol=1e-15, max_iter=10_000_000)
                model = model if scale == "none" else make_pipeline(StandardScaler(), model)
                found.append(model.fit(x, y).predict(at))
            case("lasso", x, y, at, lambdas, found, scale=f'"{scale}"')


def components(rng):
    for n, p, counts in [(30, 6, range(7)), (8, 12, [0, 1, 3, 7])]:
        x = np.round(rng.normal(1, 1, (n, p)) * np.linspace(0.5, 4, p), 3)
        y = np.round(x[:, 0] + 0.3 * x[:, -1] + rng.normal(0, 0.5, n), 3)
        at = np.round(rng.normal(0, 2, (10, p)), 3)
        for scale in ["none", "sd"]:
            found = []
            for count in counts:
                if count == 0:
                    found.append(np.full(len(at), y.mean()))
                    continue
                steps = [StandardScaler()] if scale == "sd" else []
                model = make_pipeline(*steps, PCA(count, svd_solver="full"), LinearRegression())
                found.append(model.fit(x, y).predict(at))
            case("components", x, y, at, counts, found, scale=f'"{scale}"')


def pruned(rng):
    """Only one input, so that no features are equally good; inputs that 32 bits hold, as scikit-learn rounds."""
    x = np.sort(rng.choice(np.arange(1000), 60, replace=False)) / 64
    at = np.arange(0, 1000, 23) / 64
    y = np.round(np.sin(x) + rng.normal(0, 0.3, 60), 3)
    classes = (y > -0.2).astype(int) + (y > 0.5)
    for least in [1, 3]:
        alphas = [1e-6, 1e-3, 4e-3, 0.02, 0.1, 1]
        models = [DecisionTreeRegressor(min_samples_leaf=least, ccp_alpha=alpha) for alpha in alphas]
        found = [model.fit(x[:, None], y).predict(at[:, None]) for model in models]
        case("tree", x, y, at, alphas, found, least=least, leaves=[int(model.get_n_leaves()) for model in models])
        for count in [2, 3]:
            labels = np.minimum(classes, count - 1)
            models = [DecisionTreeClassifier(min_samples_leaf=least, ccp_alpha=alpha) for alpha in alphas]
            found = [model.fit(x[:, None], labels).predict_proba(at[:, None]) for model in models]
            leaves = [int(model.get_n_leaves()) for model in models]
            case("tree", x, labels, at, alphas, found, least=least, leaves=leaves, classes=count)


def naive_bayes(rng):
    smoothing = [1e-3, 0.5, 1, 20]
    for law, model, high in [("bernoulli", BernoulliNB, 2), ("multinomial", MultinomialNB, 6)]:
        x, at = rng.integers(0, high, (40, 5)), rng.integers(0, high, (12, 5))
        labels = np.minimum(x[:, 0] + rng.integers(0, 2, 40), 2)
        found = [model(alpha=alpha).fit(x, labels).predict_proba(at) for alpha in smoothing]
        case("naive-bayes", x, labels, at, smoothing, found, classes=3, law=f'"{law}"')


for write in [spline, local, lasso, components, pruned, naive_bayes]:
    write(np.random.default_rng(1))
OUT.write_text("".join(lines))
