#!/usr/bin/env python3
"""Reference tables of package special, by mpmath at 60 digits and more.

Each row is the arguments as exact hexadecimal floats and the value to 30
digits. From the package directory:

    python3 testdata/tables.py
"""
import math
import os
import random

from mpmath import mp, mpf, psi, loggamma, log, log1p, sqrt, pi, erfc, exp, nstr

HERE = os.path.dirname(os.path.abspath(__file__))
rng = random.Random(20240607)
after = lambda x: math.nextafter(x, math.inf)
before = lambda x: math.nextafter(x, -math.inf)


def around(*points):
    return [y for x in points for y in (before(x), x, after(x), x * (1 - 1e-9), x * (1 + 1e-9), x * 0.999, x * 1.001)]


def log_spaced(lo, hi, n):
    return [math.exp(math.log(lo) + (math.log(hi) - math.log(lo)) * k / (n - 1)) for k in range(n)]


def log_random(lo, hi, n):
    return [math.exp(rng.uniform(math.log(lo), math.log(hi))) for _ in range(n)]


def uniform(lo, hi, n):
    return [rng.uniform(lo, hi) for _ in range(n)]


def write(name, rows, value, digits=lambda *a: 60):
    seen = set()
    with open(os.path.join(HERE, name + '.tsv'), 'w') as out:
        for row in rows:
            row = tuple(float(x) for x in row)
            if row in seen:
                continue
            seen.add(row)
            mp.dps = digits(*row)
            v = value(*map(mpf, row))
            out.write('\t'.join([x.hex() for x in row] + [nstr(v, 30, min_fixed=0, max_fixed=0)]) + '\n')


# Functions of one positive argument.

# The worst points of a search of 4000 to 12000 random points a function, at the time of writing.
WORST_GAMMA = [1.589705848312126, 2.4119582647792, 3.2064123713721906, 0.2067601823398622, 5.2146886381742705,
               2.486057877167333, 2.1759829121597196]
WORST_LINE = [2.74768910802064, 0.7748193961842134, -3.524988116229324, -3.242023673682781, -5.205129957675304]
WORST_WHOLE = [(20.0, 8.908629714557193e-06), (4.0, 4.551676684581413), (13.0, 4.778175710308519),
               (11.0, 0.03763189086339536)]
WORST_REAL = [(0.2239674036318361, 0.6932685629413314), (0.003022600136818534, 0.05858279186688984),
              (0.1320292840952786, 0.9320945802182425), (0.017668609943642655, 1.0247794497175462e-06),
              (0.05781001359507363, 0.7966985473506132), (0.20113712537353018, 0.1548522310141965),
              (0.030511418041592474, 0.8226536660790004)]

GAMMA = (WORST_GAMMA + log_spaced(1e-300, 1e-3, 25) + log_spaced(1e-3, 100, 80) + log_spaced(100, 1e15, 30)
         + log_spaced(1e15, 1e300, 10) + uniform(0, 1, 40) + uniform(1, 4, 80) + uniform(4, 30, 30)
         + around(0.5, 1, 2, 3, 4, 8, 1.4616321449683623) + uniform(1.4, 1.52, 20)
         + [1.4616321449683623 * (1 + s * 10.0 ** -k) for k in range(2, 16) for s in (-1, 1)])


def relative_to_tail(x):
    """Digits for psi_k(x) minus its leading term, and for psi'' itself at tiny x."""
    return 60 + 2 * int(abs(math.log10(x)))


def gamma_tables():
    one = lambda xs: [(x,) for x in xs]
    moderate = [x for x in GAMMA if x > 1e-100]
    write('lgamma', one(GAMMA + uniform(0.15, 0.25, 15) + uniform(1.15, 1.25, 15)), loggamma)
    write('digamma', one(GAMMA), lambda x: psi(0, x))
    write('trigamma', one(x for x in GAMMA if x > 1e-150), lambda x: psi(1, x))
    write('tetragamma', one(x for x in moderate if x < 1e150), lambda x: psi(2, x))
    write('digammalog', one(GAMMA), lambda x: psi(0, x) - log(x), relative_to_tail)
    write('trigammainv', one(x for x in GAMMA if 1e-150 < x < 1e150), lambda x: psi(1, x) - 1 / x, relative_to_tail)
    write('tetragammainv2', one(x for x in moderate if x < 1e100), lambda x: psi(2, x) + 1 / x ** 2, relative_to_tail)


# Differences: (x, r).

def rising_roots():
    """(n, r) with r(r+1)...(r+n-1) = 1 to the last bit, and the floats beside them."""
    rows = []
    for n in range(1, 17):
        lo, hi = 1e-20, 2.0
        while after(lo) < hi:
            mid = math.sqrt(lo * hi) if hi / lo > 2 else (lo + hi) / 2
            if math.prod(mid + j for j in range(n)) < 1:
                lo = mid
            else:
                hi = mid
        for r in (before(lo), lo, hi, after(hi), lo * (1 - 1e-6), lo * (1 + 1e-6), lo * 0.9, lo * 1.1, lo * 0.3, lo * 3):
            rows.append((n, r))
    return rows


def whole_rows(top):
    rows = WORST_WHOLE + [(n, r) for n in range(0, 19) for r in log_spaced(1e-8, min(top, 1e20), 15) + log_random(0.05, 50, 8)]
    rows += [(rng.randint(1, 40), r) for r in log_random(1e-8, top, 120)]
    rows += [(math.floor(x), r) for x, r in zip(log_random(1, 1e9, 150), log_random(1e-8, 1e10, 150))]
    rows += [(n, r) for n in (1, 2, 5, 16, 17, 1000) for r in around(1.0, 2.0, 3.0, 1e18) if r < top]
    return rows + [(1e9, r) for r in (1e-8, 0.5, 2.0, 3.0, 1e4, 1e9, 1e12)]


def real_rows(top):
    rows = WORST_REAL + list(zip(log_random(1e-12, 1e9, 250), log_random(1e-8, 1e12, 250)))
    rows += list(zip(log_random(1e-3, 30, 300), log_random(1e-2, 30, 300)))
    rows += list(zip(log_random(1e-300, 1e9, 60), log_random(1e-8, top, 60)))
    rows += [(x, r) for x in (1e-9, 0.3, 1.5, 2.5, 16.5, 1e6 + 0.5) for r in around(1.0, 2.0, 3.0)]
    return rows


def difference_digits(x, r):
    size = 3 * max(0, math.log10(r)) + (2 * abs(math.log10(x)) if x > 0 else 0) + 3 * max(0, -math.log10(r))
    return 70 + int(size)


def difference_tables():
    def both(name, order, top, extra=()):
        f = loggamma if order < 0 else lambda z: psi(order, z)
        value = lambda x, r: f(x + r) - f(r)
        write(name + '_whole', whole_rows(top) + list(extra), value, difference_digits)
        write(name + '_real', [row for row in real_rows(top) if order < 1 or row[0] > 1e-50], value, difference_digits)
    both('lgammadiff', -1, 1e300, rising_roots())
    both('digammadiff', 0, 1e290)
    both('trigammadiff', 1, 1e140)
    both('tetragammadiff', 2, 1e90)


def far_tables():
    """Differences of x above 16, where what is prepared for r serves."""
    rows = [(math.floor(x), r) for x, r in zip(log_random(17, 6000, 400), log_random(1e-3, 1e3, 400))]
    rows += [(math.floor(x), 14.9) for x in log_random(17, 6000, 60)] + list(zip(log_random(16, 100, 100), log_random(0.01, 100, 100)))
    rows += list(zip(log_random(16, 1e12, 150), log_random(1e-12, 1e17, 150)))
    rows += [(x, r) for x in (after(16), 17, 18.5, 40, 1000) for r in around(1.0, 2.0, 3.0) + [0.1 ** k for k in range(1, 40)]]
    write('lgammadiff_far', rows, lambda x, r: loggamma(x + r) - loggamma(r), difference_digits)
    write('digammadiff_far', rows, lambda x, r: psi(0, x + r) - psi(0, r), difference_digits)


# Normal and logistic functions.

LINE = (WORST_LINE + [s * x for s in (-1, 1) for x in log_spaced(1e-300, 1e-3, 8) + log_spaced(1e-3, 40, 70) + uniform(0, 40, 40)
         + uniform(0, 6, 60) + around(1.0, 2.0, 4.0, 5.656854249492381, 37.5)])
FAR = [10.0 ** k for k in (1.7, 2, 3, 4, 6, 8, 12, 20, 50, 100, 150)]
ROOT = lambda: sqrt(mpf(2))


def mp_ndtr(x):
    return erfc(-x / ROOT()) / 2


def mp_log_ndtr(x):
    if x > 0:
        return log1p(-mp_ndtr(-x))
    return log(mp_mills(-x) / sqrt(2 * pi)) - x * x / 2


def mp_mills(x):
    if x > 1e4:  # erfc underflows nowhere in mpmath, but is slow out there; the series is exact to 60 digits
        total, term = mpf(1), mpf(1)
        for k in range(1, 20):
            term *= -(2 * k - 1) / (x * x)
            total += term
        return total / x
    return sqrt(pi / 2) * erfc(x / ROOT()) * exp(x * x / 2)


def mp_ratio(x):
    if x < 0:
        return 1 / mp_mills(-x)
    return exp(-x * x / 2) / sqrt(2 * pi) / mp_ndtr(x)


def mp_softplus(x):
    return log1p(exp(x))


def normal_tables():
    one = lambda xs: [(x,) for x in xs]
    write('erfcx', one([x for x in LINE if x > -26.6] + FAR), lambda x: mp_mills(ROOT() * x) * sqrt(2 / pi) if x > 0
          else exp(x * x) * erfc(x))
    write('ndtr', one(x for x in LINE if x > -37.5), mp_ndtr)
    write('logndtr', one([x for x in LINE if x < 37.5] + [-x for x in FAR]), mp_log_ndtr)
    write('ndtrratio', one([x for x in LINE if x < 37.5] + [-x for x in FAR]), mp_ratio)


def mp_quantile(u):
    """Newton's method for log(ndtr(x)) = log(u), on the side where u is small."""
    if u > 0.5:
        return -mp_quantile(1 - u)
    if u == 0.5:
        return mpf(0)
    x = -sqrt(-2 * log(2 * u))
    for _ in range(200):
        step = (mp_log_ndtr(x) - log(u)) / mp_ratio(x)
        x -= step
        if abs(step) < abs(x) * mpf(10) ** -50:
            return x
    raise ValueError(u)


def quantile_tables():
    chances = (log_spaced(5e-324, 1e-300, 10) + log_spaced(1e-300, 0.4, 120) + uniform(0, 1, 150) + log_random(1e-12, 0.1, 80)
               + [1 - p for p in log_spaced(2e-16, 0.4, 40)] + around(0.075, 0.925, math.exp(-25), 1 - math.exp(-25))
               + [0.5 + s * 10.0 ** -k for k in range(2, 17) for s in (-1, 1)])
    write('normalquantile', [(p,) for p in chances if 0 < p < 1], mp_quantile, lambda u: 100)


def logistic_tables():
    one = lambda xs: [(x,) for x in xs]
    wide = LINE + [s * x for s in (-1, 1) for x in uniform(30, 700, 40)]
    write('sigmoid', one(wide), lambda x: 1 / (1 + exp(-x)), lambda x: 400)
    write('softplus', one(wide), mp_softplus, lambda x: 400)
    write('logsigmoid', one(wide), lambda x: -mp_softplus(-x), lambda x: 400)
    chances = (uniform(0, 1, 100) + log_spaced(1e-300, 0.5, 60) + [1 - p for p in log_spaced(1e-15, 0.5, 40)]
               + around(0.25, 0.5, 0.75) + [0.5 + s * 10.0 ** -k for k in range(2, 16) for s in (-1, 1)])
    write('logit', one(p for p in chances if 0 < p < 1), lambda p: log(p) - log1p(-p), lambda x: 400)


if __name__ == '__main__':
    gamma_tables()
    difference_tables()
    normal_tables()
    logistic_tables()
    quantile_tables()
    far_tables()  # last: the random points of the others stay
