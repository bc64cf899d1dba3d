"""Make the three prediction files that clearwin ships (`make data`).

Why: the examples and tests need real predictions of two real classifiers on the same test items, free
to ship. In the spirit of Keller, Mariéthoz & Bengio 2004 (IDIAP-RR 04-34), section 5, model A is a
linear SVM and model B a Gaussian SVM, one against the others, on scikit-learn's digits.

How: each of the ten digits gets its own machine of either kind: scaling, then an SVC, with its own C (and
gamma) chosen by F1 in a stratified 5-fold cross-validation inside the training part; the scaling is fitted
again in each fold, so nothing of the test part is seen.

The split follows one rule, fixed beforehand: seed 2004 (the paper's year), a stratified test part of 1,500
items, the other 297 to train. Only if an F1 of the eights were outside .75 to .95, or the models did not
disagree in both directions, would the training part have been made 200; this was not needed.
"""

from pathlib import Path
from typing import Any

import numpy as np
import sklearn
from numpy.typing import NDArray
from sklearn.datasets import load_digits
from sklearn.metrics import accuracy_score, f1_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

SEED = 2004
TEST_ITEMS = 1500
FOLDS = 5
CATEGORY = 8
SHIPPED = Path(__file__).resolve().parents[1] / "src" / "clearwin" / "data" / "shipped"

C_GRID = [0.001, 0.01, 0.1, 1.0, 10.0, 100.0]
GAMMA_GRID = [0.0001, 0.001, 0.01, 0.1]
MODELS: dict[str, tuple[str, dict[str, list[float]]]] = {
    "linear": ("linear", {"svm__C": C_GRID}),
    "gaussian": ("rbf", {"svm__C": C_GRID, "svm__gamma": GAMMA_GRID}),
}


def decision_values(name: str, x: NDArray[Any], digit: NDArray[Any], new: NDArray[Any]) -> NDArray[Any]:
    """Train the ten machines of one kind; return their decision values on new, one column a digit."""
    kernel, grid = MODELS[name]
    columns = []
    for category in range(10):
        machine = Pipeline([("scale", StandardScaler()), ("svm", SVC(kernel=kernel))])
        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=SEED)
        search = GridSearchCV(machine, grid, scoring="f1", cv=folds)
        search.fit(x, (digit == category).astype(int))
        print(f"{name:8s} {category} cross-validated F1 {search.best_score_:.3f} {search.best_params_}")
        columns.append(search.decision_function(new))
    return np.column_stack(columns)


def write_csv(name: str, items: NDArray[Any], columns: dict[str, list[str]]) -> None:
    """Write one file of id, truth and the two predictions: UTF-8, LF line ends."""
    lines = [",".join(["id", *columns])]
    lines += [",".join(row) for row in zip([f"d{i:04d}" for i in items], *columns.values(), strict=True)]
    (SHIPPED / name).write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")


def print_eight(truth: NDArray[Any], a: NDArray[Any], b: NDArray[Any]) -> None:
    """Print the joint events e1 to e8 (the paper's Table 1) and the two F1s; each array is 'says eight'."""
    cells = [(True, True), (False, True), (True, False), (False, False)]
    events = [(t, *cell) for t in (True, False) for cell in cells]
    for k, (t, says_a, says_b) in enumerate(events, start=1):
        count = int(np.sum((truth == t) & (a == says_a) & (b == says_b)))
        words = ["eight" if flag else "other" for flag in (t, says_a, says_b)]
        print(f"e{k}: truth {words[0]}, linear {words[1]}, gaussian {words[2]}: {count}")
    print(f"eights: F1 linear {f1_score(truth, a):.4f}, gaussian {f1_score(truth, b):.4f}")


def main() -> None:
    """Train, write the files, print the figures."""
    x, digit = load_digits(return_X_y=True)
    train, test = train_test_split(np.arange(len(digit)), test_size=TEST_ITEMS, stratify=digit, random_state=SEED)
    train, test = np.sort(train), np.sort(test)
    truth = digit[test]
    values = {name: decision_values(name, x[train], digit[train], x[test]) for name in MODELS}

    best = {"truth": truth} | {name: v.argmax(axis=1) for name, v in values.items()}
    write_csv("digits.csv", test, {name: [str(d) for d in column] for name, column in best.items()})

    says = {"truth": truth == CATEGORY} | {name: v[:, CATEGORY] > 0 for name, v in values.items()}
    labels = {name: ["eight" if flag else "other" for flag in column] for name, column in says.items()}
    write_csv("digits_eight.csv", test, labels)
    scores = {name: [f"{x:.6f}" for x in v[:, CATEGORY]] for name, v in values.items()}
    write_csv("digits_eight_scores.csv", test, {"truth": labels["truth"], **scores})

    print(f"scikit-learn {sklearn.__version__}, numpy {np.__version__}, seed {SEED}")
    print(f"{len(train)} training items, {len(test)} test items")
    print_eight(says["truth"], says["linear"], says["gaussian"])
    for name in MODELS:
        print(f"digits: accuracy {name} {accuracy_score(truth, best[name]):.4f}")


if __name__ == "__main__":
    main()
