"""Writes reference.csv: bias and variance of learners on the tables that ship, by mlxtend.

    python -m venv venv && venv/bin/pip install scikit-learn mlxtend
    venv/bin/python tests/mlxtend/reference.py

Every row of a table whose number, from 0, ends with 2, 5 or 8 is held out. Ten calls with seeds of their own
give means and standard errors. mlxtend's estimates with R rounds are those of a finite R: its squared bias
is too large by variance / R and its variance too small by as much, of which nothing is corrected here.

Where two columns part the rows equally well, scikit-learn's trees choose one by lot, as those of bvlab do. But
where two classes have as many votes, scikit-learn takes the lower one: so before every fit the classes get
numbers by lot. It also rounds inputs to 32 bits, after which a flower that lies on a threshold may lie on either
side of it: so flowers are measured in whole millimetres.
"""

import csv
from pathlib import Path

import numpy as np
from mlxtend.evaluate import bias_variance_decomp
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

HERE = Path(__file__).resolve().parent
DATA = HERE.parent.parent / "experiments" / "data"
CALLS, ROUNDS = 10, 2000


class Shuffled:
    """A classifier whose classes are numbered by lot before every fit."""

    def __init__(self, model):
        self.model = model
        self.lots = np.random.default_rng(1)

    def fit(self, x, y):
        self.order = self.lots.permutation(3)
        self.model.fit(x, self.order[y])
        return self

    def predict(self, x):
        return np.argsort(self.order)[self.model.predict(x)]


TASKS = [
    ("iris.csv", "species", "0-1_loss", "tree, depth 1", lambda: DecisionTreeClassifier(max_depth=1)),
    ("iris.csv", "species", "0-1_loss", "tree, depth 2", lambda: DecisionTreeClassifier(max_depth=2)),
    ("iris.csv", "species", "0-1_loss", "tree, depth 3", lambda: DecisionTreeClassifier(max_depth=3)),
    ("iris.csv", "species", "0-1_loss", "tree", lambda: DecisionTreeClassifier()),
    ("iris.csv", "species", "0-1_loss", "knn, k = 1", lambda: KNeighborsClassifier(1)),
    ("iris.csv", "species", "0-1_loss", "knn, k = 15", lambda: KNeighborsClassifier(15)),
    ("diabetes.csv", "progression", "mse", "tree, depth 1", lambda: DecisionTreeRegressor(max_depth=1)),
    ("diabetes.csv", "progression", "mse", "tree, depth 3", lambda: DecisionTreeRegressor(max_depth=3)),
    ("diabetes.csv", "progression", "mse", "tree", lambda: DecisionTreeRegressor()),
    ("diabetes.csv", "progression", "mse", "knn, k = 5", lambda: KNeighborsRegressor(5)),
    ("diabetes.csv", "progression", "mse", "linear", lambda: LinearRegression()),
    ("iris.csv", "species", "0-1_loss", "tree of petal_length", lambda: DecisionTreeClassifier()),
    ("diabetes.csv", "progression", "mse", "tree of bmi", lambda: DecisionTreeRegressor()),
]


def read(file, target, name):
    """Inputs and labels of the training and of the test rows."""
    only = name.split(" of ")[1:]
    with open(DATA / file) as text:
        rows = list(csv.DictReader(text))
    used = only or [column for column in rows[0] if column != target]
    x = np.array([[float(row[column]) for column in used] for row in rows])
    y = np.array([row[target] for row in rows])
    y = np.unique(y, return_inverse=True)[1] if target == "species" else y.astype(float)
    x = np.round(10 * x) if target == "species" else x
    held = np.isin(np.arange(len(rows)) % 10, [2, 5, 8])
    return x[~held], y[~held], x[held], y[held]


def main():
    with open(HERE / "reference.csv", "w") as out:
        out.write("table,learner,loss,loss_se,bias,bias_se,variance,variance_se\n")
        for file, target, loss, name, model in TASKS:
            parts = read(file, target, name)
            shuffled = Shuffled(model()) if target == "species" else model()
            calls = [
                bias_variance_decomp(shuffled, *parts, loss=loss, num_rounds=ROUNDS, random_seed=seed)
                for seed in range(CALLS)
            ]
            calls = np.array(calls)
            means, errors = calls.mean(axis=0), calls.std(axis=0, ddof=1) / np.sqrt(CALLS)
            numbers = [f"{v:.6g}" for pair in zip(means, errors) for v in pair]
            out.write(",".join([file, f'"{name}"', *numbers]) + "\n")
            print(file, name, *numbers, flush=True)


if __name__ == "__main__":
    main()
