"""Says by linear programming whether the rows of regressions of whole numbers can be separated.

    python oracle.py CASES.json ANSWERS.json

Rows are z_i = s_i x_i: s_i is 1 or -1 with a binary response, and -1 where a count is 0, 1 where it is not. A direction b separates where z_i'b >= 0 in these rows and
x_i'b = 0 where a count is not 0, and not all z_i'b are 0. The columns are made orthonormal first, and multiplied by the root of the number of rows. What is
found by linear programming is proved in rational numbers then.
"""

import csv
import json
import sys
from fractions import Fraction

import numpy as np
import scipy
from scipy.optimize import linprog

FARTHEST = 1e6  # how large a coefficient may be, so that a row that is separated is at least 1e-6 off the plane
STRICT = {"primal_feasibility_tolerance": 1e-9, "dual_feasibility_tolerance": 1e-9}


def rows_of(case):
    with open(case["file"], newline="") as f:
        rows = list(csv.DictReader(f))
    exact = [[Fraction(1)] + [Fraction(r[c]) for c in case["columns"]] for r in rows]
    x = np.array(exact, dtype=float)
    y = np.array([float(r["y"]) for r in rows])
    if case["family"] == "bernoulli":
        return x, 2 * y - 1, np.zeros(len(y), bool), exact
    return x, np.where(y == 0, -1.0, 1.0), y != 0, exact


def orthonormal(x):
    q, _ = np.linalg.qr(x)
    return q * np.sqrt(len(x))


def separated(x, s, fixed):
    """The rows that some direction separates: max sum t, z'b >= t, 0 <= t <= 1; at the optimum t is 1 for all that can be, and 0 for the others."""
    z = orthonormal(x) * s[:, None]
    free, p = np.flatnonzero(~fixed), x.shape[1]
    if len(free) == 0:
        return []
    r = linprog(
        np.concatenate([np.zeros(p), -np.ones(len(free))]),
        A_ub=np.hstack([-z[free], np.eye(len(free))]),
        b_ub=np.zeros(len(free)),
        A_eq=np.hstack([z[fixed], np.zeros((fixed.sum(), len(free)))]) if fixed.any() else None,
        b_eq=np.zeros(fixed.sum()) if fixed.any() else None,
        bounds=[(-FARTHEST, FARTHEST)] * p + [(0, 1)] * len(free),
        method="highs",
        options=STRICT,
    )
    if r.status != 0:
        raise RuntimeError(r.message)
    return [int(i) for i in free[r.x[p:] > 0.5]]


def farthest(rows):
    """How far off the plane all these rows can be, for coefficients up to 1, and these."""
    n, p = rows.shape
    r = linprog(
        np.concatenate([np.zeros(p), [-1.0]]),
        A_ub=np.hstack([-rows, np.ones((n, 1))]),
        b_ub=np.zeros(n),
        bounds=[(-1, 1)] * p + [(None, None)],
        method="highs",
        options=STRICT,
    )
    return -r.fun, r.x[:p]


def weights(x, s, fixed, left):
    """Weights with which the rows that are left balance: sum w_i z_i = 0, w_i >= 1 but where a count is above 0. None where there are none."""
    z = orthonormal(x)[left] * s[left, None]
    bounds = [(None, None) if fixed[i] else (1, None) for i in left]
    r = linprog(np.zeros(len(left)), A_eq=z.T, b_eq=np.zeros(x.shape[1]), bounds=bounds, method="highs", options=STRICT)
    return r.x if r.status == 0 else None


# The proof, in rational numbers of the decimals of the file.


def reduced(rows, width):
    """The reduced row echelon form, which columns have pivots, and which rows are independent."""
    out, pivots, chosen = [], [], []
    for i, row in enumerate(rows):
        row = list(row)
        for r, c in zip(out, pivots):
            if row[c]:
                f = row[c]
                row = [a - f * b for a, b in zip(row, r)]
        c = next((c for c in range(width) if row[c]), None)
        if c is None:
            continue
        row = [a / row[c] for a in row]
        out = [[a - r[c] * b for a, b in zip(r, row)] for r in out]
        out, pivots, chosen = out + [row], pivots + [c], chosen + [i]
        if len(out) == width:
            break
    return out, pivots, chosen


def kernel(rows, p):
    out, pivots, _ = reduced(rows, p)
    vectors = []
    for c in range(p):
        if c not in pivots:
            v = [Fraction(0)] * p
            v[c] = Fraction(1)
            for r, q in zip(out, pivots):
                v[q] = -r[c]
            vectors.append(v)
    return vectors


def dot(a, b):
    return sum((u * v for u, v in zip(a, b)), Fraction(0))


def direction_proved(z, away, left):
    """Whether a direction was found that has the rows that are left in its plane, and the others strictly on one side; and how far these are, relative to
    their lengths."""
    if not away:
        return True, 0.0
    free = kernel([z[i] for i in left], len(z[0]))
    if not free:
        return False, 0.0
    rows = np.array([[float(dot(z[i], v)) for v in free] for i in away])
    upper = np.linalg.qr(rows)[1] if len(rows) >= len(free) else np.eye(len(free))
    if np.abs(np.diag(upper)).min() < 1e-12 * np.abs(upper).max():
        upper = np.diag(np.abs(rows).max(axis=0))
    basis = np.linalg.inv(upper)
    found = rows @ basis
    margin, c = farthest(found / np.linalg.norm(found, axis=1).max())
    c = [Fraction(v) for v in basis @ c]
    b = [dot([v[j] for v in free], c) for j in range(len(z[0]))]
    return all(dot(z[i], b) > 0 for i in away) and all(dot(z[i], b) == 0 for i in left), float(margin)


def overlap_proved(z, fixed, left, w):
    """Whether weights can be mended so that they balance the rows exactly, and are positive."""
    if not left:
        return True
    if w is None:
        return False
    rows, p = [z[i] for i in left], len(z[0])
    w = [Fraction(v) for v in w]
    _, pivots, chosen = reduced(rows, p)
    lacks = [-dot([r[j] for r in rows], w) for j in range(p)]
    system, columns, _ = reduced([[rows[i][j] for i in chosen] + [lacks[j]] for j in range(p)], len(chosen))
    for r, c in zip(system, columns):
        w[chosen[c]] += r[-1]
    return all(dot([r[j] for r in rows], w) == 0 for j in range(p)) and all(w[k] > 0 or fixed[i] for k, i in enumerate(left))


def ask(case):
    x, s, fixed, exact = rows_of(case)
    away = separated(x, s, fixed)
    left = [i for i in range(len(s)) if i not in set(away)]
    z = [[int(s[i]) * v for v in row] for i, row in enumerate(exact)]
    found, margin = direction_proved(z, away, left)
    answer = {
        "name": case["name"],
        "sha256": case["sha256"],
        "kind": "none" if not away else "complete" if len(away) == len(s) else "quasi-complete",
        "separated": away,
        "margin": margin,
        "proved": found and overlap_proved(z, fixed, left, weights(x, s, fixed, left) if left else None),
        "support": case["support"],
        "enough": True,
    }
    if case["support"] and len(case["support"]) < x.shape[1]:  # whether these coefficients are enough to separate as many
        answer["enough"] = separated(x[:, case["support"]], s, fixed) == away
    return answer


def main():
    with open(sys.argv[1]) as f:
        cases = json.load(f)
    versions = {"Python": sys.version.split()[0], "numpy": np.__version__, "scipy": scipy.__version__}
    with open(sys.argv[2], "w") as f:
        json.dump({"versions": versions, "answers": [ask(c) for c in cases]}, f)


main()
