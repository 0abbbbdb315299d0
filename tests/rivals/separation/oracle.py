"""Says by linear programming whether the rows of regressions of whole numbers, or of censored ones, can be separated.

    python oracle.py CASES.json ANSWERS.json

For each row there are conditions on a direction b of all coefficients, so that the likelihood of the row never falls along it: z'b >= 0, or z'b = 0. A direction separates
where it fulfils all of them, and not all with z'b = 0. The columns of these z are made orthonormal first, and multiplied by the root of their number. What is
found by linear programming is proved in rational numbers then.
"""

import csv
import json
import math
import sys
from fractions import Fraction

import numpy as np
import scipy
from scipy.optimize import linprog

FARTHEST = 1e6  # how large a coefficient may be, so that a row that is separated is at least 1e-6 off the plane
STRICT = {"primal_feasibility_tolerance": 1e-9, "dual_feasibility_tolerance": 1e-9}


def minus(z):
    return [-v for v in z]


def of_counts(x, y, least):
    """A count is the least one with probability 1 at the end of a mean."""
    return (minus(x), False) if y == least else (x, True)


# Censored regressions have a scale, but for the exponential one. In terms of theta = b / sigma and tau = 1 / sigma the log-likelihood of a response y, or its logarithm, is
#
#   log tau + log f(tau y - x'theta)                            of one that is observed,
#   log(F(tau u - x'theta) - F(tau l - x'theta))                of one between l and u, where l may be minus infinity and u infinity,
#
# which is concave in both where log f is, as that of a normal, a logistic and an extreme value distribution is (Burridge 1981; Silvapulle and Burridge, Existence of maximum likelihood
# estimates in regression models for grouped and ungrouped data, Journal of the Royal Statistical Society B 48, 1986). So it has a maximum unless it never falls along a
# direction (d, s) with s >= 0, and rises somewhere (Rockafellar 1970, theorem 27.1). Along one, log f falls at least linearly wherever its argument goes, and F rises. So it never falls where
#
#   s y - x'd = 0               of all that are observed,
#   s u - x'd >= 0              of all with an upper end,
#   s l - x'd <= 0              of all with a lower one.
#
# With s = 0 the likelihood rises where one of the inequalities is strict: coefficients go to infinity, at a scale that stays. With s > 0 log tau rises without bound for each response that is
# observed: sigma goes to 0 where a plane has all of these in it, and the censored ones on their sides, or where a plane goes through all intervals there are. That s cannot be above 0 is proved as
# all others are, by weights. tau > 0 has an open end: the likelihood falls to 0 there if some response is observed, or has two ends, which is so in all cases but those with ends on one side only.
LOGS = ("weibull_survival", "log_normal_survival", "log_logistic_survival", "interval_weibull")
SCALED = LOGS + ("tobit", "interval_normal")


def ends(family, r):
    """Between which ends a response lies; None for none. Logarithms are those of a computer."""
    y = Fraction(r["y"])
    if family == "tobit":
        return (y, y) if y > 0 else (None, Fraction(0))
    if family in LOGS:
        y = Fraction(math.log(y))
    if "event" in r:
        return (y, y) if int(r["event"]) else (y, None)
    upper = Fraction(math.log(Fraction(r["until"]))) if family in LOGS else Fraction(r["until"])
    return {1: (y, y), 2: (y, None), 3: (None, y), 4: (y, upper)}[int(r["kind"])]


def of_censored(x, lower, upper):
    """Of directions with the scale last."""
    if lower is not None and lower == upper:
        return [(minus(x) + [lower], True)]
    below = [] if upper is None else [(minus(x) + [upper], False)]
    above = [] if lower is None else [(x + [-lower], False)]
    return above + below


def conditions(family, x, r, levels):
    """Of a row: pairs of z, and whether z'b has to be 0."""
    none, y, trials = [Fraction(0)] * len(x), Fraction(r["y"]), int(r.get("trials", 1))
    if family in SCALED:
        return of_censored(x, *ends(family, r))
    if family == "exponential_survival":
        return [(x, int(r["event"]) == 1)]
    if family in ("bernoulli", "probit"):
        return [(x if y == 1 else minus(x), False)]
    if family in ("binomial", "beta_binomial"):
        return [(x if y == trials else minus(x), 0 < y < trials)]
    if family == "zero_truncated_poisson":
        return [of_counts(x, y, 1)]
    if family.startswith("hurdle"):  # of means first
        if y == 0:
            return [(none + x, False)]
        z, fixed = of_counts(x, y, 1) if family == "hurdle_poisson" else (x, True)
        return [(none + minus(x), False), (z + none, fixed)]
    if family.endswith("_parts"):  # of means first, then of the probability that a count is 0 anyhow
        z, fixed = of_counts(x, y, 0)
        return [(none + (x if y == 0 else minus(x)), False), (z + none, fixed)]
    if family in ("ordinal", "cumulative_probit"):  # of cut points c_1 .. c_J and coefficients: c_y - x'b, and x'b - c_{y - 1}
        y, levels = int(y), int(levels)
        cut = [[Fraction(int(j == k)) for j in range(1, levels)] for k in range(levels + 1)]
        above = [(cut[y] + minus(x[1:]), False)] if y < levels else []
        return above + ([(minus(cut[y - 1]) + x[1:], False)] if y > 1 else [])
    if family == "multinomial":  # of rows of coefficients for all levels but the last
        y, levels = int(y), int(levels)
        own = [[v * int(j == k) for j in range(1, levels) for v in x] for k in range(levels + 1)]
        return [([a - b for a, b in zip(own[y], own[k])], False) for k in range(1, levels + 1) if k != y]
    return [of_counts(x, y, 0)]


def rows_of(case):
    """The z of all conditions as numbers, which of them are equalities, and the z in rational numbers."""
    with open(case["file"], newline="") as f:
        rows = list(csv.DictReader(f))
    levels = max(Fraction(r["y"]) for r in rows)
    exact, fixed = [], []
    for r in rows:
        x = [Fraction(1)] + [Fraction(r[c]) for c in case["columns"]]
        for z, equality in conditions(case["family"], x, r, levels):
            exact.append(z)
            fixed.append(equality)
    if case["family"] in SCALED:
        exact.append([Fraction(0)] * (len(exact[0]) - 1) + [Fraction(1)])
        fixed.append(False)
    return np.array(exact, dtype=float), np.array(fixed), exact


def orthonormal(z):
    q, _ = np.linalg.qr(z)
    return q * np.sqrt(len(z))


def programme(*arguments, **more):
    """Linear programming, by other methods where the first one gives up: what is found is proved afterwards."""
    for method in ("highs", "highs-ds", "highs-ipm"):
        for options in (STRICT, {}):
            r = linprog(*arguments, **more, method=method, options=options)
            if r.status in (0, 2):
                return r
    raise RuntimeError(r.message)


def separated(z, fixed):
    """The conditions that some direction fulfils strictly: max sum t, z'b >= t, 0 <= t <= 1; at the optimum t is 1 for all that can be, and 0 for the others."""
    z = orthonormal(z)
    free, p = np.flatnonzero(~fixed), z.shape[1]
    if len(free) == 0:
        return []
    r = programme(
        np.concatenate([np.zeros(p), -np.ones(len(free))]),
        A_ub=np.hstack([-z[free], np.eye(len(free))]),
        b_ub=np.zeros(len(free)),
        A_eq=np.hstack([z[fixed], np.zeros((fixed.sum(), len(free)))]) if fixed.any() else None,
        b_eq=np.zeros(fixed.sum()) if fixed.any() else None,
        bounds=[(-FARTHEST, FARTHEST)] * p + [(0, 1)] * len(free),
    )
    if r.status != 0:
        raise RuntimeError(r.message)
    return [int(i) for i in free[r.x[p:] > 0.5]]


def farthest(rows):
    """How far off the plane all these rows can be, for coefficients up to 1, and these."""
    n, p = rows.shape
    r = programme(
        np.concatenate([np.zeros(p), [-1.0]]),
        A_ub=np.hstack([-rows, np.ones((n, 1))]),
        b_ub=np.zeros(n),
        bounds=[(-1, 1)] * p + [(None, None)],
    )
    return -r.fun, r.x[:p]


def weights(z, fixed, left):
    """Weights with which the conditions that are left balance: sum w_i z_i = 0, w_i >= 1 but of equalities. None where there are none."""
    z = orthonormal(z)[left]
    bounds = [(None, None) if fixed[i] else (1, None) for i in left]
    r = programme(np.zeros(len(left)), A_eq=z.T, b_eq=np.zeros(z.shape[1]), bounds=bounds)
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
    numbers, fixed, z = rows_of(case)
    away = separated(numbers, fixed)
    scale = len(z) - 1 if case["family"] in SCALED else None
    if scale in away and not fixed.any():  # no scale is needed where coefficients alone do as much
        held = fixed.copy()
        held[scale] = True
        if len(without := separated(numbers, held)) == scale:
            away, fixed = without, held
    shrinks = scale in away
    left = [i for i in range(len(z)) if i not in set(away)]
    found, margin = direction_proved(z, away, left)
    conditions = len(z) if scale is None else scale
    answer = {
        "name": case["name"],
        "sha256": case["sha256"],
        "kind": "scale to 0" if shrinks else "none" if not away else "complete" if len(away) == conditions else "quasi-complete",
        "separated": away,
        "margin": margin,
        "proved": found and overlap_proved(z, fixed, left, weights(numbers, fixed, left) if left else None),
        "support": case["support"],
        "enough": True,
    }
    if case["support"] and len(case["support"]) < numbers.shape[1]:  # whether these coefficients are enough to separate as many
        of = case["support"] + ([] if scale is None else [numbers.shape[1] - 1])
        answer["enough"] = separated(numbers[:, of], fixed) == away
    return answer


def main():
    with open(sys.argv[1]) as f:
        cases = json.load(f)
    versions = {"Python": sys.version.split()[0], "numpy": np.__version__, "scipy": scipy.__version__}
    with open(sys.argv[2], "w") as f:
        json.dump({"versions": versions, "answers": [ask(c) for c in cases]}, f)


main()
