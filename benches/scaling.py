#!/usr/bin/env python3
"""How the cost of a run grows: with resamples, test points, training points and threads.

    cargo build --release && benches/scaling.py

Times are the run's own, the best of three. Nothing else should be running.
"""

import math
from pathlib import Path

import task

PROGRAM = Path(__file__).resolve().parent.parent / "target/release/bvlab"
TREE = dict(task.SINE, sweep='depth = "1..16"', learner="tree = {}")
KNN = dict(task.SINE, sweep='k = "1..50"', learner="knn = {}")


def best(learner, resamples, train=100, **options):
    """The least time per training set."""
    runs = 1 if resamples > 10**5 else 3
    experiment = dict(learner, resamples=resamples, train=train, **options)
    return min(task.seconds(PROGRAM, **experiment) for _ in range(runs))


def main():
    print("trees, n = 100, depth 1–16, 200 test points: µs per training set")
    for resamples in [10**3, 10**4, 10**5, 10**6]:
        print(f"  {resamples:7} training sets {1e6 * best(TREE, resamples):7.1f}")
    for test in [200, 800, 3200]:
        print(f"  {test:7} test points   {1e6 * best(TREE, 20000, test=test):7.1f}")
    print("and with n, in parentheses over n log2 n in ns")
    for name, learner in [("trees", TREE), ("kNN", KNN)]:
        for train in [100, 400, 1600, 6400]:
            time = best(learner, 400000 // train, train=train)
            share = 1e9 * time / (train * math.log2(train))
            print(f"  {name:5} n = {train:4} {1e6 * time:8.1f} ({share:.1f})")
    one, two = (best(TREE, 10**5, threads=threads) for threads in [1, 2])
    print(f"two threads are {one / two:.2f} times as fast as one")


if __name__ == "__main__":
    main()
