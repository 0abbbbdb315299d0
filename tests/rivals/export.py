"""Writes data sets of Python packages as CSV: complete rows of the named columns, with every digit.

    python export.py SETS.csv FOLDER
"""

import csv
import importlib
import os
import sys

import numpy as np


def sklearn(item):
    import sklearn.datasets

    return getattr(sklearn.datasets, item)(as_frame=True).data


def statsmodels(item):
    return importlib.import_module("statsmodels.datasets." + item).load_pandas().data


def statsmodels_results(item):
    """Data of the package's own tests."""
    import pandas
    import statsmodels

    return pandas.read_csv(os.path.join(os.path.dirname(statsmodels.__file__), "discrete", "tests", "results", item))


def palmerpenguins(item):
    import palmerpenguins

    return getattr(palmerpenguins, item)()


def vega_datasets(item):
    from vega_datasets import local_data

    return local_data(item)


def made(item):
    """Samples of our own: 100,000 rows from ten overlapping normals in ten dimensions."""
    import pandas

    if item != "overlap":
        raise KeyError(item)
    random = np.random.Generator(np.random.PCG64(12))
    n, d, k = 100_000, 10, 10
    weights = random.dirichlet(np.full(k, 5.0))
    centres = 1.5 * random.standard_normal((k, d))
    label = random.choice(k, size=n, p=weights)
    x = np.empty((n, d))
    for j in range(k):
        rows = label == j
        root = 0.35 * random.standard_normal((d, d)) + np.diag(random.uniform(0.5, 1.5, d))
        x[rows] = centres[j] + random.standard_normal((rows.sum(), d)) @ root.T
    return pandas.DataFrame(x, columns=[f"x{j + 1}" for j in range(d)])


def main():
    with open(sys.argv[1], newline="") as f:
        sets = [s for s in csv.DictReader(f) if s["package"].startswith("python:")]
    for s in sets:
        package = s["package"].removeprefix("python:")
        try:
            x = globals()[package](s["item"])
        except ImportError as e:
            print(f"{s['name']}: {e}", file=sys.stderr)
            continue
        x.columns = [str(c).replace(" ", "_") for c in x.columns]
        x = x[s["columns"].split()].dropna().astype(float)
        file = os.path.join(sys.argv[2], s["name"] + ".csv")
        x.to_csv(file + ".part", index=False)
        os.rename(file + ".part", file)


main()
