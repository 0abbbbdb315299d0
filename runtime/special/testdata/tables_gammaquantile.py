#!/usr/bin/env python3
"""Reference tables of the gamma quantile of package special and of its derivative in the shape, by mpmath.

Nothing here uses the method of the package: P(a, x) is one power series for
every x and a, with as many digits as it takes; the quantile comes from
Newton's method, from the left, where log P is concave in log x; and dP/da is
a central difference with a relative step of 1e-25. From the package directory
(some minutes, for the large shapes):

    python3 testdata/tables_gammaquantile.py
"""
import math

from mpmath import mp, mpf, exp, log, loggamma

from tables import after, before, log_random, rng, write

DIGITS = 70


def log_p(a, y):
    """log P(a, exp(y)) and its derivative in y."""
    x = exp(y)
    total = term = mpf(1)
    k, least = 1, mpf(10) ** -(mp.dps + 3)
    while term > total * least:
        term *= x / (a + k)
        total += term
        k += 1
    return a * y - x - loggamma(a + 1) + log(total), a / total


def log_quantile(u, a):
    goal = log(u)
    y = (goal + loggamma(a + 1)) / a  # P is less than x^a/Gamma(a+1)
    for _ in range(500):
        value, rate = log_p(a, y)
        step = (goal - value) / rate
        y += step
        if abs(step) < mpf(10) ** -40:
            return y
    raise ValueError((u, a))


def quantile(u, a):
    return exp(log_quantile(u, a))


def slope(u, a):
    """-dP/da/f, at fixed x."""
    y = log_quantile(u, a)
    with mp.workdps(mp.dps + 30):
        h = a * mpf(10) ** -25
        of_log = (log_p(a + h, y)[0] - log_p(a - h, y)[0]) / (2 * h)
        return -of_log / log_p(a, y)[1] * exp(y)


# The worst points of searches of 1500 to 3500 random points, at the time of writing.
WORST = [(0.9967714803256842, 0.04300018200186772), (0.8041893959933957, 4.291861148696905),
         (0.9065626767316824, 4.926903042316887), (0.999633268020037, 0.020465484501553485),
         (5.311960881036253e-183, 234.8756159234263), (0.5869863661395472, 8.752322185865921),
         (0.98644618786859, 0.15921821667167732), (0.7390804188527949, 7.65825200625529),
         (0.9429328505407654, 0.2062016739161694), (0.2783167799549745, 5.88264719549266),
         (0.997523840027854, 0.007735695536930208), (0.6378335091372717, 6.105610582301134)]


def chances(n):
    kinds = (lambda: rng.random(), lambda: rng.random(), lambda: 10 ** rng.uniform(-20, -1),
             lambda: 1 - 10 ** rng.uniform(-15.5, -1), lambda: 10 ** rng.uniform(-300, -1))
    return [kinds[k % len(kinds)]() for k in range(n)]


def rows():
    made = list(WORST)
    made += [(u, a) for a in (1e-3, 1e-2, 0.1, 0.5, before(1.0), 1, 2, before(8.0), 8, 8.5, 20, 100)
             for u in (1e-300, 1e-16, 1e-4, 0.1, 0.3, 0.5, after(0.5), 0.7, 0.9, 0.99, 1 - 1e-6, before(1.0))]
    made += [(1 - a * share, a) for a in (0.01, 0.03, 0.1, 0.3, 0.6) for share in (0.02, 0.05, 0.07, 0.1, 0.15)]
    made += list(zip(chances(250), log_random(0.01, 1, 250)))
    made += list(zip(chances(250), log_random(1, 12, 250)))
    made += list(zip(chances(150), log_random(12, 1500, 150)))
    made += list(zip(chances(20), log_random(1500, 1e5, 20)))
    made += [(1e-10, 1e6), (0.4, 1e6), (0.999, 1e6)]
    mp.dps = 20
    return [(u, a) for u, a in made if 0 < u < 1 and log(mpf(u)) + loggamma(mpf(a) + 1) > -680 * a]


if __name__ == '__main__':
    points = rows()
    write('gammaquantile', points, quantile, lambda u, a: DIGITS)
    write('gammaquantileda', points, slope, lambda u, a: DIGITS)
