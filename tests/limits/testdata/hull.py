"""Suprema of the skew-normal log-likelihood at infinite slant, from the facets of convex hulls.

Run once, with numpy 2.4.6, scipy 1.17.1 and scikit-learn 1.9.1 of Python 3.11; writes iris.csv, wine.csv, linnerud.csv and
hull.tsv next to itself. The data are those of scikit-learn: iris and wine of the UCI repository (CC BY 4.0), linnerud.

With the mean m and the covariance matrix S (divisor n) of n rows in d dimensions, the supremum of the mean log-likelihood is
log 2 - (d log(2 pi e) + log|S| + log(1 + h^2))/2, h the distance from m to the nearest facet of the convex hull in the
metric of inv(S). In one dimension the facets are the smallest and the largest value.
"""

import itertools
import pathlib

import numpy as np
import scipy.spatial
import sklearn.datasets

here = pathlib.Path(__file__).parent


def supremum(x):
    n, d = x.shape
    centred = x - x.mean(axis=0)
    s = centred.T @ centred / n
    white = np.linalg.solve(np.linalg.cholesky(s), centred.T).T
    if d == 1:
        h = min(white.max(), -white.min())
    else:
        h = np.min(-scipy.spatial.ConvexHull(white).equations[:, -1])
    return np.log(2) - (d * np.log(2 * np.pi * np.e) + np.linalg.slogdet(s)[1] + np.log1p(h * h)) / 2


lines = ["data\tcolumns\tmean log-likelihood"]
for name in ["iris", "wine", "linnerud"]:
    data = getattr(sklearn.datasets, "load_" + name)()
    x = np.asarray(data.data, float)
    np.savetxt(here / (name + ".csv"), x, fmt="%.17g", delimiter=",")
    columns = min(x.shape[1], 7)
    for d in range(1, 6):
        for subset in itertools.combinations(range(columns), d):
            if d > 2 and sum(subset) % 3 != 0:
                continue
            value = supremum(x[:, subset])
            lines.append("%s\t%s\t%.17g" % (name, " ".join(map(str, subset)), value))
(here / "hull.tsv").write_text("\n".join(lines) + "\n")
