"""Subsets of data that others collected, and whether a plane separates their classes, by linear programming: a logistic regression without
a prior has a proper posterior exactly where the classes overlap (Albert and Anderson 1984). Run by hand:

    python cases.py > testdata/cases.json

It needs numpy, scipy, scikit-learn and statsmodels, and R with MASS (Rscript).
"""

import io
import json
import subprocess
import sys

import numpy as np
import scipy
import sklearn
import statsmodels
import statsmodels.api as sm
from scipy.optimize import linprog
from sklearn.datasets import load_iris


def from_r(expression):
    text = subprocess.run(["Rscript", "-e", f"write.table({expression}, row.names=FALSE, sep=',')"], capture_output=True, text=True, check=True).stdout
    return np.genfromtxt(io.StringIO(text), delimiter=",", skip_header=1)


def verdict(x, y):
    """complete, quasi or overlap, and singular where the columns depend on each other"""
    n, d = x.shape
    if np.linalg.matrix_rank(x) < d:
        return "singular"
    signed = x * np.where(y > 0, 1, -1)[:, None]
    # b with |b| <= 1 and all margins >= 0: the largest of the least margins, and the largest sum of margins
    least = linprog(np.r_[np.zeros(d), -1], A_ub=np.c_[-signed, np.ones(n)], b_ub=np.zeros(n), bounds=[(-1, 1)] * d + [(None, 1)], method="highs")
    if -least.fun > 1e-7:
        return "complete"
    total = linprog(-signed.sum(0), A_ub=-signed, b_ub=np.zeros(n), bounds=[(-1, 1)] * d, method="highs")
    return "quasi" if -total.fun > 1e-7 else "overlap"


def sources():
    x, y = load_iris(return_X_y=True)
    yield "iris, two species", x[y > 0], y[y > 0] - 1, 12
    s = sm.datasets.spector.load_pandas().data.to_numpy()
    yield "spector, grades", s[:, :3], s[:, 3], 16
    cars = from_r("mtcars[c('wt', 'hp', 'qsec', 'am')]")
    yield "mtcars, gears", cars[:, :3], cars[:, 3], 14
    births = from_r("with(MASS::birthwt, data.frame(age, lwt, race==2, race==3, smoke, ht, ui, low))" .replace("race==2", "black=as.numeric(race==2)").replace("race==3", "other=as.numeric(race==3)"))
    yield "birthwt, weights", births[:, :7], births[:, 7], 45
    women = from_r("with(MASS::Pima.tr, data.frame(npreg, glu, bp, skin, bmi, ped, age, type=as.numeric(type=='Yes')))")
    yield "Pima, diabetes", women[:, :7], women[:, 7], 24
    fair = sm.datasets.fair.load_pandas().data.to_numpy()
    yield "fair, affairs", fair[:, :6], (fair[:, 8] > 0).astype(float), 20


def cases():
    for name, x, y, rows in sources():
        rng = np.random.default_rng(len(name))
        found = {"complete": [], "quasi": [], "overlap": []}
        for attempt in range(3000):
            n = int(rng.integers(rows // 2, 2 * rows))
            chosen = np.sort(rng.permutation(len(y))[:n])
            z, w = x[chosen], y[chosen]
            if w.min() == w.max():
                continue
            keep = z.std(0) > 0
            z = np.c_[np.ones(n), z[:, keep] if attempt % 2 else (z[:, keep] - z[:, keep].mean(0)) / z[:, keep].std(0)]
            what = verdict(z, w)
            if what in found and len(found[what]) < 3:
                found[what].append({"source": name, "classes": what, "columns": z.shape[1] + 1,
                                    "values": [float(f"{v:.10g}") for v in np.c_[z, w].ravel()]})
        for k in found.values():
            yield from k


if __name__ == "__main__":
    by = f"numpy {np.__version__}, scipy {scipy.__version__}, scikit-learn {sklearn.__version__}, statsmodels {statsmodels.__version__}"
    lines = [json.dumps(c) for c in cases()]
    sys.stdout.write('{"by": ' + json.dumps(by) + ', "cases": [\n' + ",\n".join(lines) + "\n]}\n")
