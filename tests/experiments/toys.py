"""Boosters for tests of the machinery: one that learns, and some that go wrong on purpose.

A plugin file, loaded with `boostbench.load_plugin` here and in the workers.
"""

import os
import signal
import time

import numpy as np
import psutil

from boostbench.registry import boosters


@boosters.register("toy-centroids")
class ToyCentroids:
    """Each round adds the squared distance to the class means along one random column."""

    nested_rounds = True

    def __init__(self, n_estimators=10, *, scale=1.0, shape="square", random_state=None):
        self.n_estimators = n_estimators
        self.scale = scale
        self.shape = shape
        self.random_state = random_state

    def fit(self, X, y):
        rng = np.random.default_rng(self.random_state)
        self.classes_ = np.unique(y)
        self.columns_ = rng.integers(X.shape[1], size=self.n_estimators)
        self.means_ = np.array([X[y == label].mean(axis=0) for label in self.classes_])
        self.n_rounds_ = self.n_estimators
        self.stop_reason_ = ""
        return self

    def staged_scores(self, X):
        F = np.zeros((len(X), len(self.classes_)))
        for column in self.columns_:
            F -= self.scale * (X[:, [column]] - self.means_[:, column]) ** 2
            yield F

    def staged_predict(self, X):
        for F in self.staged_scores(X):
            yield self.classes_[F.argmax(axis=1)]

    def predict(self, X):
        return list(self.staged_predict(X))[-1]


@boosters.register("toy-horizon")
class ToyHorizon(ToyCentroids):
    """Its first rounds depend on how many there will be."""

    nested_rounds = False

    def fit(self, X, y):
        super().fit(X, y)
        self.columns_ = np.full(self.n_estimators, self.n_estimators % X.shape[1])
        return self


@boosters.register("toy-raises")
class ToyRaises(ToyCentroids):
    def fit(self, X, y):
        print("about to fail")
        raise RuntimeError("no luck today")


@boosters.register("toy-kills-itself")
class ToyKillsItself(ToyCentroids):
    def fit(self, X, y):
        print("goodbye", flush=True)
        os.kill(os.getpid(), signal.SIGKILL)


@boosters.register("toy-kills-dask")
class ToyKillsDask(ToyCentroids):
    def fit(self, X, y):
        os.kill(psutil.Process().parents()[2].pid, signal.SIGKILL)
        time.sleep(60)


@boosters.register("toy-sleeps")
class ToySleeps(ToyCentroids):
    def __init__(self, n_estimators=10, *, seconds=25.0, random_state=None):
        super().__init__(n_estimators, random_state=random_state)
        self.seconds = seconds

    def fit(self, X, y):
        print("sleeping", flush=True)
        time.sleep(self.seconds)
        return super().fit(X, y)
