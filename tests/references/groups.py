"""Writes groups.json: small data sets, and what scikit-learn finds in them from a given start.

    python -m venv venv && venv/bin/pip install scikit-learn==1.9.1
    venv/bin/python tests/references/groups.py

The tests of bvlab_core::mixture_model compare EM and k-means with it.
"""

import json
import warnings
from pathlib import Path

import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_score
from sklearn.mixture import GaussianMixture

warnings.simplefilter("ignore")  # EM is stopped after some steps on purpose
OUT = Path(__file__).resolve().parent / "groups.json"
rng = np.random.default_rng(20)
cases = []
for size, groups, count in [(2, 3, 90), (3, 2, 60)]:
    centres = rng.normal(0, 3, (groups, size))
    shapes = rng.normal(0, 1, (groups, size, size))
    label = rng.integers(0, groups, count)
    x = centres[label] + np.einsum("nij,nj->ni", shapes[label], rng.normal(0, 1, (count, size)))
    x = np.round(x, 3)
    means = x[rng.choice(count, groups, replace=False)]
    covariance = np.eye(size) + 0.2
    precision = np.linalg.inv(covariance)
    forms = {
        "spherical": ("spherical", np.ones(groups), np.eye(size)),
        "diagonal": ("diag", np.ones((groups, size)), np.eye(size)),
        "full": ("full", np.stack([precision] * groups), covariance),
        "tied": ("tied", precision, covariance),
    }
    for steps, (kind, (name, precisions, start)) in zip([7, 20, 100, 40], forms.items()):
        mixture = GaussianMixture(
            groups,
            covariance_type=name,
            reg_covar=0,
            tol=0,
            max_iter=steps,
            weights_init=np.full(groups, 1 / groups),
            means_init=means,
            precisions_init=precisions,
        ).fit(x)
        assert mixture.n_iter_ <= steps
        lloyd = KMeans(groups, init=means, n_init=1, algorithm="lloyd", tol=0).fit(x)
        cases.append(
            {
                "dimension": size,
                "points": x.ravel().tolist(),
                "means": means.ravel().tolist(),
                "covariance": start.ravel().tolist(),
                "kind": kind,
                "steps": mixture.n_iter_,
                "log_likelihood": float(mixture.score_samples(x).sum()),
                "shares": mixture.predict_proba(x).ravel().tolist(),
                "aic": float(mixture.aic(x)),
                "bic": float(mixture.bic(x)),
                "silhouette": float(silhouette_score(x, mixture.predict(x))),
                "inertia": float(lloyd.inertia_),
                "labels": lloyd.labels_.tolist(),
                "groups_silhouette": float(silhouette_score(x, lloyd.labels_)),
            }
        )
OUT.write_text("[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]\n")
