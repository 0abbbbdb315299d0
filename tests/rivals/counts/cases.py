"""Makes cases.json: fits that failed in public, and ones like them, with their maximum likelihood estimates or the limit that
their likelihoods tend to. Everything is computed from the formulas of the densities, with mpmath in 40 digits after a search
in floating point.

    python cases.py FOLDER > cases.json

FOLDER is that of the exported data sets. Data that we made ourselves are written down; those of others are named.
"""

import json
import math
import os
import sys

import numpy as np
from mpmath import mp, mpf, nstr
from scipy.optimize import minimize

mp.dps = 40


# Densities, as functions of unconstrained coordinates; m has the functions, of whatever precision


class Fast:
    """Functions of floating point, for the search."""

    exp, log, expm1, sqrt, loggamma, erfc, pi = math.exp, math.log, math.expm1, math.sqrt, math.lgamma, math.erfc, math.pi


def sigmoid(m, x):
    return 1 / (1 + m.exp(-x))


def negative_binomial(m, x, v):
    r, s = m.exp(v[0]), sigmoid(m, v[1])
    return m.loggamma(x + r) - m.loggamma(r) - m.loggamma(x + 1) + x * m.log(sigmoid(m, -v[1])) + r * m.log(s)


def poisson(m, x, v):
    return x * v[0] - m.exp(v[0]) - m.loggamma(x + 1)


def inflated(density):
    def f(m, x, v):
        p = sigmoid(m, v[0])
        value = m.log(1 - p) + density(m, x, v[1:])
        return m.log(p + m.exp(value)) if x == 0 else value

    return f


def generalized_poisson(m, x, v):
    theta, lam = m.exp(v[0]), sigmoid(m, v[1])
    return m.log(theta) + (x - 1) * m.log(theta + lam * x) - theta - lam * x - m.loggamma(x + 1)


def interval_weibull(m, x, v):
    low, high = x
    b, c = m.exp(v[0]), m.exp(v[1])
    a, d = (low / b) ** c, (high / b) ** c
    return -a + m.log(-m.expm1(a - d))


def skew_normal(m, x, v):
    z = (x - v[0]) / m.exp(v[1])
    return m.log(2) - m.log(2 * m.pi) / 2 - v[1] - z * z / 2 + m.log(m.erfc(-v[2] * z / m.sqrt(2)) / 2)


def maximum(density, rows, starts):
    """The highest log-likelihood with its coordinates, or None where it rises towards infinity."""
    weights = {}
    for x in rows:
        weights[x] = weights.get(x, 0) + 1

    def f(v):
        return sum(w * density(mp, tuple(map(mpf, x)) if isinstance(x, tuple) else mpf(x), v) for x, w in weights.items())

    def loss(v):
        try:
            return -sum(w * density(Fast, x, list(map(float, v))) for x, w in weights.items())
        except (ValueError, ZeroDivisionError, OverflowError):
            return 1e300

    best, place = None, None
    for start in starts:
        start = np.array(start, float)
        simplex = np.vstack([start, start + 0.3 * np.eye(len(start))])
        r = minimize(loss, start, method="Nelder-Mead",
                     options={"xatol": 1e-6, "fatol": 1e-9, "maxiter": 2000, "maxfev": 2000, "initial_simplex": simplex})
        if best is None or r.fun < best - 1e-9:
            best, place = r.fun, r.x
    v = newton(f, [mpf(float(e)) for e in place])
    return (f(v), v) if v is not None else None


def newton(f, v):
    """Newton's method with differences in 40 digits; None unless it ends at a maximum close by."""
    h = mpf(10) ** -10
    d = len(v)

    def moved(v, *steps):
        w = list(v)
        for i, e in steps:
            w[i] += e
        return f(w)

    start = list(v)
    for _ in range(30):
        g = mp.matrix([(moved(v, (i, h)) - moved(v, (i, -h))) / (2 * h) for i in range(d)])
        m = mp.matrix(d, d)
        for i in range(d):
            for j in range(i + 1):
                m[i, j] = m[j, i] = (moved(v, (i, h), (j, h)) - moved(v, (i, h), (j, -h)) - moved(v, (i, -h), (j, h))
                                     + moved(v, (i, -h), (j, -h))) / (4 * h * h)
        if max(mp.eigsy(m, eigvals_only=True)) > -mpf(10) ** -9:
            return None
        step = mp.lu_solve(m, -g)
        v = [a + b for a, b in zip(v, step)]
        if max(abs(a - b) for a, b in zip(v, start)) > 1:
            return None
        if max(abs(e) for e in step) < mpf(10) ** -16:
            return v
    return None


def truth(found, limit, names, limit_is):
    """A finite maximum, if there is one above the limit, otherwise the limit."""
    t = {"limit": limit is not None and nstr(limit, 15) or None, "limit_is": limit_is}
    if found is not None and (limit is None or found[0] > limit + mpf(10) ** -9):
        t |= {"finite": True, "log_likelihood": nstr(found[0], 15), "estimate": {n: nstr(f(found[1]), 15) for n, f in names.items()}}
    else:
        t |= {"finite": False}
    return t


def best(*found):
    values = [f[0] for f in found if f is not None]
    return max(values) if values else None


def poisson_value(rows):
    mean = mpf(sum(rows)) / len(rows)
    return sum(poisson(mp, x, [mp.log(mean)]) for x in rows)


def negative_binomial_truth(rows):
    mean, variance = np.mean(rows), np.var(rows)
    r = mean**2 / max(variance - mean, 0.1 * mean)
    found = maximum(negative_binomial, rows, [[np.log(r), np.log(r / mean)], [0, -np.log(mean)]]) if variance > mean else None
    return truth(found, poisson_value(rows), {"r": lambda v: mp.exp(v[0]), "s": lambda v: sigmoid(mp, v[1])}, "Poisson, as r grows")


def zero_inflated_truth(rows):
    positive = [x for x in rows if x > 0]
    share = np.log(0.5)
    starts = [[share, np.log(r), np.log(r / np.mean(positive))] for r in (1.0, 5.0, 30.0)]
    found = maximum(inflated(negative_binomial), rows, starts)
    zip_ = maximum(inflated(poisson), rows, [[share, np.log(np.mean(positive))]])
    plain = negative_binomial_truth(rows)
    nb = mpf(plain["log_likelihood"]) if plain["finite"] else None
    limits = [e for e in [zip_ and zip_[0], nb, poisson_value(rows)] if e is not None]
    names = {"p": lambda v: sigmoid(mp, v[0]), "r": lambda v: mp.exp(v[1]), "s": lambda v: sigmoid(mp, v[2])}
    return truth(found, max(limits), names, "zero-inflated Poisson, as r grows, or no inflation")


def generalized_poisson_truth(rows):
    mean, variance = np.mean(rows), np.var(rows)
    lam = min(max(1 - np.sqrt(mean / variance), 0.02), 0.98)
    found = maximum(generalized_poisson, rows, [[np.log(mean * (1 - e)), np.log(e / (1 - e))] for e in (lam, 0.3)])
    names = {"theta": lambda v: mp.exp(v[0]), "lambda": lambda v: sigmoid(mp, v[1])}
    return truth(found, poisson_value(rows), names, "Poisson, as lambda falls to 0")


def weibull_truth(rows):
    if max(low for low, _ in rows) < min(high for _, high in rows):
        return truth(None, mpf(0), {}, "a point that all intervals have, as c grows")
    rows = [tuple(r) for r in rows]
    middle = np.mean([math.log(a * b) / 2 for a, b in rows])
    found = maximum(interval_weibull, rows, [[middle, c] for c in (-1.0, 0.0, 1.0)])
    return truth(found, None, {"b": lambda v: mp.exp(v[0]), "c": lambda v: mp.exp(v[1])}, None)


def skew_normal_truth(rows):
    x = [mpf(e) for e in rows]
    n = len(x)
    mean = sum(x) / n
    sd = mp.sqrt(sum((e - mean) ** 2 for e in x) / n)
    z = [(e - mean) / sd for e in x]
    h = min(max(z), -min(z))
    limit = n * (mp.log(2) - (mp.log(2 * mp.pi * mp.e) + 2 * mp.log(sd) + mp.log(1 + h**2)) / 2)
    starts = []
    for a in (1.5, -1.5, 6, -6, 25, -25):
        delta = a / np.sqrt(1 + a * a)
        b = np.sqrt(2 / np.pi) * delta
        starts.append([-b / np.sqrt(1 - b * b), -np.log(1 - b * b) / 2, a])
    found = maximum(skew_normal, [float(e) for e in z], starts)
    if found is not None:
        found = found[0] - n * mp.log(sd), found[1]
    names = {"xi": lambda v: mean + sd * v[0], "Omega": lambda v: (sd * mp.exp(v[1])) ** 2, "eta": lambda v: v[2] / (sd * mp.exp(v[1]))}
    return truth(found, limit, names, "half a normal distribution, as eta grows")


def column(folder, set, name):
    with open(os.path.join(folder, set + ".csv")) as f:
        header = f.readline().strip().split(",")
        return [int(float(line.split(",")[header.index(name)])) for line in f]


def main():
    folder = sys.argv[1]
    cases = []

    def add(name, source, failure, problem, columns, rows, truth, set=None):
        print(name, truth, file=sys.stderr)
        data = {"set": set} if set else {"rows": rows}
        cases.append({"name": name, "source": source, "failure": failure, "problem": problem, "columns": columns, **data, "truth": truth})

    rows = column(folder, "sm3533", "num")
    source, failure = "statsmodels 3337, 3533", "negative binomial regression of overdispersed counts: division by zero, overflow, NaN"
    add("overdispersed counts", source, failure + " (here without covariates)", "negbin", ["num"],
        rows, negative_binomial_truth(rows), "sm3533")
    random = np.random.Generator(np.random.PCG64(3337))
    for r, mean in ((0.05, 1e3), (0.2, 1e4), (2.0, 1e5)):
        rows = [int(c) for c in random.poisson(random.gamma(r, mean / r, 110))]
        add(f"overdispersed counts, r={r:g}, mean={mean:g}", source, failure + " (made alike)", "negbin", ["y"], rows, negative_binomial_truth(rows))

    source, failure = "statsmodels 3925", "generalised Poisson with p = 2: says that it converged, with predictions far too large"
    rows = column(folder, "sm3533", "num")
    add("generalised Poisson", source, failure + " (here without covariates)", "generalized_poisson.yaml", ["num"], rows,
        generalized_poisson_truth(rows), "sm3533")
    random = np.random.Generator(np.random.PCG64(3925))
    for mean, dispersion in ((3, 1.0), (3, 1.2), (3, 4.0), (50, 10.0), (8, 0.7)):
        rows = [int(c) for c in np.round(np.maximum(random.normal(mean, np.sqrt(mean * dispersion), 80), 0))]
        if dispersion >= 1:
            rows = [int(c) for c in random.poisson(random.gamma(mean / max(dispersion - 1, 1e-3), max(dispersion - 1, 1e-3), 80))]
        add(f"generalised Poisson, mean={mean}, dispersion={dispersion:g}", source, failure + " (made alike)", "generalized_poisson.yaml",
            ["y"], rows, generalized_poisson_truth(rows))

    source, failure = "statsmodels 9156", "zero-inflated negative binomial: NaN in logarithms, does not converge"
    for seed in range(6):
        random = np.random.Generator(np.random.PCG64(9156 + seed))
        rows = random.negative_binomial(10, 0.5, 100)
        rows[random.random(100) < 0.5] = 0
        rows = [int(c) for c in rows]
        add(f"zero-inflated, seed {seed}", source, failure, "zero_inflated.yaml", ["y"], rows, zero_inflated_truth(rows))

    source = "lifelines 827"
    for name, failure, rows in (
        ("three decades", "interval-censored Weibull: intervals of very different sizes", [(1, 10), (10, 100), (100, 1000)]),
        ("one interval", "interval-censored Weibull: one interval, a flat likelihood", [(1, 10)]),
        ("overlapping intervals", "interval-censored Weibull (made alike): all intervals have a point in common", [(1, 10), (5, 20), (2, 8)]),
        ("six decades", "interval-censored Weibull (made alike)", [(1e-3, 1e-2), (1e-2, 0.1), (0.1, 1), (1, 10), (10, 100), (100, 1000)]),
        ("narrow intervals", "interval-censored Weibull (made alike)", [(99, 100), (100, 101), (101, 103), (98, 99.5), (104, 105)]),
    ):
        add(name, source, failure, "interval_weibull.yaml", ["low", "high"], [list(map(float, r)) for r in rows], weibull_truth(rows))

    source, failure = "glmmTMB 1027, 1104", "skew-normal: NaN at the starting values, which an identity link leaves at 0 (made alike)"
    for slant, location, scale in ((0, 5000, 30), (2, 5000, 30), (5, -3e5, 2), (20, 180, 1e-3), (3, 0, 1)):
        random = np.random.Generator(np.random.PCG64(1027 + slant))
        delta = slant / np.sqrt(1 + slant**2)
        z = delta * np.abs(random.standard_normal(150)) + np.sqrt(1 - delta**2) * random.standard_normal(150)
        rows = [float("%.10g" % e) for e in location + scale * z]
        add(f"skew-normal, slant {slant}, {location:g} +- {scale:g}", source, failure, "skewnormal", ["y"], rows, skew_normal_truth(rows))

    print("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]")


main()
