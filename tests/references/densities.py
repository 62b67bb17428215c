"""Writes densities.toml: what numpy, scipy and scikit-learn estimate from the same values.

    pip install numpy scipy scikit-learn
    python densities.py > densities.toml
"""

import numpy as np
import scipy
import sklearn
from scipy.stats import gaussian_kde
from sklearn.neighbors import KernelDensity

FROM, TO = -6.0, 6.0
rng = np.random.default_rng(20)
values = np.where(rng.random(57) < 0.6, rng.normal(-1.0, 0.7, 57), rng.normal(1.5, 0.3, 57))
at = np.linspace(-3.7, 3.3, 41) + 0.0123


def numbers(array):
    return "[" + ", ".join(repr(float(x)) for x in np.ravel(array)) + "]"


def case(learner, settings, predictions, by):
    print("[[case]]")
    print(f'learner = "{learner}"')
    print(f'by = "{by}"')
    print(f"settings = {numbers(settings)}")
    print(f"predictions = {numbers(predictions)}")
    print()


print(f"# numpy {np.__version__}, scipy {scipy.__version__}, scikit-learn {sklearn.__version__}: densities.py")
print(f"range = [{FROM}, {TO}]")
print(f"values = {numbers(values)}")
print(f"at = {numbers(at)}")
print()

bins = [1, 4, 17, 60]
heights = []
for count in bins:
    height, edges = np.histogram(values, bins=count, range=(FROM, TO), density=True)
    heights.append(height[np.searchsorted(edges, at, side="right") - 1])
case("histogram", bins, heights, "numpy.histogram")

bandwidths = [0.02, 0.3, 1.7]
for kernel, name in [("gaussian", "gaussian"), ("epanechnikov", "epanechnikov"), ("tophat", "uniform")]:
    rows = []
    for h in bandwidths:
        tree = KernelDensity(bandwidth=h, kernel=kernel, rtol=0, atol=0).fit(values[:, None])
        rows.append(np.exp(tree.score_samples(at[:, None])))
    case(name, bandwidths, rows, "sklearn.neighbors.KernelDensity")

rows = []
spread = values.std(ddof=1)
for h in bandwidths:
    rows.append(gaussian_kde(values, bw_method=h / spread)(at))
case("gaussian", bandwidths, rows, "scipy.stats.gaussian_kde")
