"""Learners and splits that the tests of cross_compare share."""

from sklearn.datasets import load_breast_cancer
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import clearwin as cw

X, Y = load_breast_cancer(return_X_y=True)
X, Y = X[:200, :6], Y[:200]
TREE = DecisionTreeClassifier(max_depth=2, random_state=0)


def cross(**change):
    return cw.cross_compare(TREE, GaussianNB(), X, Y, **{"scoring": "accuracy", **change})
