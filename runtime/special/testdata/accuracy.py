#!/usr/bin/env python3
"""Reference values of every function of expr's table and of all its partial derivatives, by mpmath.

The points are the ends of the domains and their neighbours, 0, roots, places where formulas of derivatives could be 0/0,
a few random ones between, and those of testdata/hard.tsv, where a dense search found the largest errors: a row is the name, the arguments as exact hexadecimal floats, the value and the partial
derivatives to 25 digits; "-" where there is no derivative. The test of package expr that reads it fails for a function
of the table without rows here. From the package directory (some minutes):

    python3 testdata/accuracy.py                     (writes testdata/accuracy.tsv)
    python3 testdata/accuracy.py NAME...             (prints the rows of some functions)
    python3 testdata/accuracy.py NAME COUNT SEED     (prints random points of the whole domain of one function)

Without their first column, and without values that are no normal numbers, those of gamma_quantile_du 1000 71 and 72 are
testdata/gammaquantiledu.tsv, those of t_quantile_dnu testdata/tquantilednu.tsv.

Derivatives are central differences of the value, with a relative step of 1e-40 and the digits for it, not formulas. Every
number is computed with two precisions that must agree: mpmath's functions have bugs at extremes.
"""
import math
import random
import sys

import mpmath
from mpmath import mp, mpf, psi, loggamma, log, log1p, expm1, exp, erf, sqrt, pi, nstr

import tables
import tables_bessel as bessel
import tables_gammaquantile as gq
import tables_student as st

after, before = tables.after, tables.before
TINY, LEAST, MAX = 5e-324, 2.0 ** -1022, sys.float_info.max
HALF = before(0.5), 0.5, after(0.5)

# The points of the domains.
MAGNITUDES = [TINY, LEAST, 1e-300, 1e-160, 1e-20, 1e-8, 1e-3, 0.1, 0.3, 0.9, 1, after(1.0), 1.7, 4, 8, 20, 37, 38.4, 700, 745,
              1e4, 1e10, 1e20, 1e154, 1e300, MAX]
REAL = [0.0] + [s * x for x in MAGNITUDES for s in (1, -1)]
POSITIVE = [TINY, 3e-310, before(LEAST), LEAST, 1e-300, 1e-154, 1e-100, 1e-20, 1e-8, 1e-3, 0.1, 0.25, 0.5, before(1.0), 1, after(1.0), 1.2,
            1.4616321449683622, 1.4616321449683625, 1.6, before(2.0), 2, after(2.0), 2.7, before(3.0), 3, 5, 10, 17, 100, 171.7, 1e4, 1e10,
            2.0 ** 53, 1e20, 1e100, 1e154, 1e200, 1e305, MAX]
UNIT = [TINY, 3e-310, LEAST, 1e-300, 1e-100, 1e-20, 1e-8, 1e-3, 0.05, 0.074, 0.075, 0.2, before(0.25), 0.25, 0.4, *HALF,
        0.5 + 1e-9, 0.6, 0.75, 0.77, 0.9, 0.926, 0.99, 1 - 1e-6, 1 - 1e-10, before(1.0)]
ABOVE_MINUS_1 = [x for x in REAL if x > -1] + [after(-1.0), -1 + 1e-9, -0.6]
BELOW_0 = [-x for x in MAGNITUDES] + [-0.6931471805599453, before(-0.6931471805599453), after(-0.6931471805599453), -0.69, -0.7, -40.1, -0.02]
QUARTERS = [float(n * pi / 2) for n in (1, 2, 3, 4, 5, 11, 22, 355 * 2, 10 ** 5, 416500, 667543)]  # the last but one is nearest to a whole number
COARSE_REAL = [0.0, TINY, -TINY, 1e-160, -1e-20, 1e-8, -0.3, 0.89, 1, -1, 1.7, -3.1, 8, -37, 1e4, -1e10, 1e100, -1e300]
COARSE_UNIT = [TINY, LEAST, 1e-100, 1e-20, 1e-5, 0.07, 0.3, *HALF, 0.6, 0.8, 0.99, 1 - 1e-9, before(1.0)]
DEGREES = [TINY, 1e-300, 1e-20, 1e-3, 0.1, 0.6, 1, 2, 4.5, 19.5, 20.5, 40, 1e4, 1e13, 1e40, 1e300]
SHAPES = [TINY, 1e-300, 1e-20, 1e-3, 0.04, 0.5, before(1.0), 1, 1.5, 7.9, 8, 40, 1e4, 1e60, 1e300]
STEPS = [0.0, TINY, 1e-300, 1e-20, 1e-8, 0.3, 0.5, 1, 2, 2.5, 16, 16.5, 40, 1e8, 1e20, 1e300]
BASES = [TINY, 1e-300, 1e-20, 1e-3, 0.3, 1, 1.4616321449683625, 2, before(3.0), 3, 5, 17, 1e4, 1e20, 1e300]
ORDERS = [1, 2, 3, 4, 9, 20, 21, 50, 100, 150]


def pairs(xs, ys, keep):
    """A part of the product in which every x meets several y: keep in (0, 1] is the share."""
    made = [(x, y) for x in xs for y in ys]
    choice = random.Random(12)
    return [p for p in made if choice.random() < keep]


def size(*args):
    """How many digits arguments so large or small may take up."""
    return int(sum(abs(math.log10(abs(a))) for a in args if a != 0))


def size_twice(*args):
    return 2 * size(*args)


# Functions that need more care than a formula.

def gamma_quantile(u, a):
    if log(u) / a < -10000:
        return exp((log(u) + loggamma(a + 1)) / a)  # H is 1
    if a > 2e6:  # Cornish and Fisher
        assert a > mpf(10) ** 30
        z = normal_quantile(u)
        return a + z * sqrt(a) + (z * z - 1) / 3 + (z ** 3 - 7 * z) / (36 * sqrt(a))
    y = (log(u) + loggamma(a + 1)) / a  # from the left, where log P is concave in log x
    if y > log(a + 2000):
        y = log(a + 2000)
    done = False
    for _ in range(1000):
        value, rate = gq.log_p(a, y)
        step = (log(u) - value) / rate
        y += max(min(step, mpf(5)), mpf(-5))
        if done:
            return exp(y)
        done = abs(step) < mpf(10) ** -(mp.dps // 2 + 5)  # the next one has twice the digits
    raise ValueError((u, a))


def gamma_quantile_du(u, a):
    x = gamma_quantile(u, a)
    return exp(x - (a - 1) * log(x) + loggamma(a))


def gamma_quantile_da(u, a):
    return difference(gamma_quantile, (u, a), 1)


def ndtr_ratio(x):
    return tables.mp_ratio(x) if x >= 0 else 1 / mills(-x)


def mills(x):
    """Phi(-x)/phi(x) for x >= 0, by its continued fraction where erfc would take too many digits."""
    if x < 60:
        with mp.workdps(mp.dps + int(x * x / 4) + 10):
            return sqrt(pi / 2) * mpmath.erfc(x / sqrt(mpf(2))) * exp(x * x / 2)
    total, term, k = mpf(1), mpf(1), 1
    while abs(term) > mpf(10) ** -(mp.dps + 3):
        new = -term * (2 * k - 1) / (x * x)
        if abs(new) >= abs(term):
            break
        term = new
        total += term
        k += 1
    return total / x


def log_ndtr(x):
    if x > 0:
        return log1p(-exp(-x * x / 2) / sqrt(2 * pi) * mills(x))
    return log(mills(-x) / sqrt(2 * pi)) - x * x / 2


def ndtr(x):
    return exp(log_ndtr(x))


def normal_density(x):
    return exp(-x * x / 2) / sqrt(2 * pi)


def normal_quantile(u):
    if u == 0.5:
        return mpf(0)
    if u > 0.5:
        return -normal_quantile(1 - u)
    x = -sqrt(-2 * log(u)) if u < 0.1 else -mpf(1) / 10
    for _ in range(300):
        step = (log_ndtr(x) - log(u)) / ndtr_ratio(x)
        x -= step
        if abs(step) < abs(x) * mpf(10) ** -(mp.dps - 5):
            return x
    raise ValueError(u)


def t_quantile(u, nu):
    if u == 0.5:
        return mpf(0)
    p = min(u, 1 - u)
    with mp.workdps(mp.dps + int(max(0, -2 * mp.log10(nu)))):
        x = upper_t_quantile(p, nu)
    return -x if u < 0.5 else x


def upper_t_quantile(p, nu):
    a, half = nu / 2, mpf(1) / 2
    far = exp((loggamma(a + half) - loggamma(a + 1) - log(2 * p) - log(pi) / 2) / nu) * sqrt(nu)
    if far > mpf(10) ** 100 * (1 + nu):
        return far  # the next term is smaller by nu/x^2
    if nu > 3:
        guess = -normal_quantile(p)
    elif half - p < 0.1 * nu:
        guess = (half - p) / exp(st.log_density(mpf(0), nu))
    else:
        guess = far
    return newton_quantile(log(p), nu, guess)


def newton_quantile(log_p, nu, x):
    for _ in range(1000):
        value = st.log_tail(x, nu)
        step = (value - log_p) * exp(value - st.log_density(x, nu)) / x
        step = max(min(step, mpf(30)), mpf(-30))
        x *= exp(step)
        if abs(step) < mpf(10) ** -(mp.dps // 2 + 5):  # the next one has twice the digits
            value = st.log_tail(x, nu)
            return x * exp((value - log_p) * exp(value - st.log_density(x, nu)) / x)
    raise ValueError((log_p, nu))


def rounded_difference(f):
    return lambda x, y: f(x + y) - f(y)


def sigmoid(x):
    return 1 / (1 + exp(-x)) if x > 0 else exp(x) / (1 + exp(x))


def softplus(x):
    return x + log1p(exp(-x)) if x > 0 else log1p(exp(x))


# The table: value, points, digits beyond those of the arguments' sizes; kinks say where there is no derivative.

class Function:
    def __init__(self, value, points, digits=40, kink=lambda *a: False, without=(), loss=size_twice):
        self.value, self.points, self.digits, self.kink, self.without = value, points, digits, kink, without
        self.loss = loss  # of digits, by cancellation

    def digits_at(self, args):
        return self.digits + int(self.loss(*args))


def little(*args):
    return 20


def tails(x, nu):
    return 20 + min(100, x) + 2 * size(nu)


def gamma_digits(x, a):
    return 60 + 0.5 * min(x, 2000) + min(60, 2 * size(a))


def gamma_log_cdf(x, a):
    return gq.log_p(a, log(x))[0]


def gamma_log_sf(x, a):
    with mp.workdps(int(mp.dps + 0.5 * x + size(a) + 20)):
        value = log(-expm1(gamma_log_cdf(x, a)))
    return +value


def beta_log_cdf(x, a, b):
    """By the series of positive terms (DLMF 8.17.8), of the complement where that has fewer."""
    if x > (a + 1) / (a + b + 2) or x > 0.9 and -a * log(x) < 200:
        other = beta_series(1 - x, b, a)
        if other < -0.7:
            return log1p(-exp(other))
        with mp.workdps(int(mp.dps + 110 + size(a) + size(b))):
            value = log(-expm1(beta_series(1 - x, b, a)))
        return +value
    return beta_series(x, a, b)


def beta_series(x, a, b):
    total, term, k = mpf(1), mpf(1), 0
    least = mpf(10) ** -(mp.dps + 5)
    while True:
        ratio = x * (a + b + k) / (a + 1 + k)
        term *= ratio
        total += term
        k += 1
        if ratio < 1 and term < least * total * (1 - ratio):
            return a * log(x) + b * log1p(-x) - loggamma(a + 1) - loggamma(b) + loggamma(a + b) + log(total)


def beta_log_sf(x, a, b):
    return beta_log_cdf(1 - x, b, a)


def beta_log_density(x, a, b):
    return (a - 1) * log(x) + (b - 1) * log1p(-x) - loggamma(a) - loggamma(b) + loggamma(a + b)


def beta_digits(x, a, b):
    return 40 + size(a) + size(b) + size(x)


def owens_t(h, a):
    """By its Taylor series in a, up to a = 1."""
    if abs(a) > 1:
        q = mpmath.erfc(abs(h) / sqrt(mpf(2))) / 2
        if (h * a) ** 2 - h * h > 5 * (mp.dps + 20):  # the rest is nothing beside q
            return mp.sign(a) * q / 2
        p = mpmath.erfc(abs(h * a) / sqrt(mpf(2))) / 2
        return mp.sign(a) * ((p + q) / 2 - p * q - owens_t(h * a, 1 / abs(a)))
    half, total, k = h * h / 2, mpf(0), 0
    least = mpf(10) ** -(mp.dps + 10)
    # atan(a) - sum_k (-1)^k a^(2k+1)/(2k+1) (1 - exp(-half) sum_{j<=k} half^j/j!), over 2 pi (Owen 1956)
    with mp.workdps(int(mp.dps + 3 * float(half * a * a) + float(half) + 40)):
        half, power = h * h / 2, +a
        term = exp(-half)
        inner = term
        while True:
            add = power / (2 * k + 1) * (1 - inner)
            total += add if k % 2 == 0 else -add
            k += 1
            term *= half / k
            inner += term
            power *= a * a
            if k > half and (abs(power) < least * exp(-half) or 1 - inner < least * exp(-half)):
                break
        value = (mpmath.atan(a) - total) / (2 * pi)
    return +value


def one(xs):
    return [(x,) for x in xs]


def square_digits(x, *rest):
    return min(400, x * x / 2)


def relation(f):
    rows = [(x, y) for x in (0.0, TINY, -TINY, 1, -1, 1e300) for y in (0.0, TINY, 1, after(1.0), -1, -MAX)]
    return Function(f, rows, kink=lambda x, y: abs(x - y) < 1e-30)


ANGLES = one(REAL + [s * x for x in QUARTERS for s in (1, -1)] + [before(QUARTERS[0]), after(QUARTERS[1]), 0.785398, 0.7854, 2.356194, 2.3562, 1e6])
LOGARITHMS = pairs([x for x in REAL if abs(x) < 1e100], [-1e10, -745, -0.6931471805599453, -0.3, -1e-20, 0.0, TINY, 2, 40, 700, 1e20], 0.1)
BESSEL = pairs([1e-300, 1e-20, 1e-8, 1e-3, 0.1, 0.6, 1, 2.5, 3.99, 4, 12, 17.7, 25, 31.9, 32, 33, 100, 1e4, 1e10, 1e100],
               [0.0, 1e-20, 1e-3, 0.3, 0.5, 1, 2.5, 7, 31.5, 32, 40, 1e3, 1e5, 1e10], 0.4)
STUDENT = pairs(COARSE_REAL, DEGREES, 0.3)
CHANCES = pairs(COARSE_UNIT, DEGREES, 0.4)
SHAPED = pairs(COARSE_UNIT, SHAPES, 0.4)
DIFFERENCES = pairs(STEPS, BASES, 0.45)


def random_pairs(seed, n, xs, ys):
    r = random.Random(seed)
    return [(xs(r), ys(r)) for _ in range(n)]


def logs(lo, hi):
    return lambda r: math.exp(r.uniform(math.log(lo), math.log(hi)))


def signed(lo, hi):
    draw = logs(lo, hi)
    return lambda r: r.choice((1, -1)) * draw(r)


def chance(r):
    k = r.randrange(4)
    if k == 0:
        return r.random()
    if k == 1:
        return 1 - 10 ** r.uniform(-16, -0.3)
    return 10 ** r.uniform(-12 if k == 2 else -300, -0.3)


STUDENT += random_pairs(1, 20, signed(0.1, 30), logs(0.2, 100))
CHANCES += random_pairs(2, 15, chance, logs(0.2, 100))
SHAPED += random_pairs(3, 20, chance, logs(0.05, 300))
BESSEL += random_pairs(5, 40, logs(1e-2, 100), logs(0.05, 60)) + random_pairs(6, 15, logs(1e-8, 1e8), logs(0.05, 1e4))
TAILS = [(a * r, a) for a in (1e-20, 1e-3, 0.04, 0.5, before(1.0), 1, 1.5, 3, 7.9, 8, 40, 300) for r in (1e-10, 1e-3, 0.3, 0.9, 1, 1.2, 2, 4)]
TAILS += [(x, a) for x in (1e-300, 1e-20, 0.5, 1.09, 1.1, 5, 30, 300) for a in (1e-15, 1e-3, 0.3, 1, 2.5, 20)]
TAILS += [(a + z * a ** 0.5, a) for a in (9, 100) for z in (-2.5, -0.5, 0.2, 1, 3, 8)]
TAILS += random_pairs(7, 40, logs(1e-3, 60), logs(0.02, 40))
TAILS = [(x, a) for x, a in TAILS if x < 130]
DIFFERENCES += random_pairs(4, 20, logs(0.01, 30), logs(0.1, 30))

SOME_SHAPES = (1e-20, 1e-3, 0.04, 0.5, 1, 1.5, 3, 7.9, 8, 20, 40, 300, 1e4)
BETA = [(x, a, b) for x in (1e-300, 1e-20, 1e-3, 0.1, 0.3, *HALF, 0.9, 0.999, 1 - 1e-10, before(1.0)) for a in SOME_SHAPES for b in SOME_SHAPES]
BETA = random.Random(21).sample(BETA, 75)
BETA += [(a / (a + b) + z * (a * b / (a + b + 1)) ** 0.5 / (a + b), a, b) for a, b in ((3, 5), (0.7, 12), (30, 2.5), (20, 60), (4e3, 900)) for z in (-2.5, 0.1, 3)]
_r = random.Random(22)
BETA += [(_r.random(), math.exp(_r.uniform(-3, 5)), math.exp(_r.uniform(-3, 5))) for _ in range(40)]
def beta_exponent(x, a, b):
    """About the logarithm of the smaller tail."""
    return a * math.log(x) + b * math.log1p(-x) + math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)


BETA = [(x, a, b) for x, a, b in BETA if 0 < x < 1 and beta_exponent(x, a, b) > -400]
BETA_SOME = [(x, a, b) for x, a, b in BETA if a + b < 70 and a * b > 1e-8 and x > 1e-10]
BETA_FEW = [p for p in BETA_SOME if beta_exponent(*p) > -30][::2]
OWEN = [(h, a) for h in (0.0, 1e-300, 1e-8, 0.3, -1, 2.5) for a in (0.0, 1e-300, -1e-8, 0.2, -0.9, before(1.0), 1, after(1.0), 1.7, -8, 40, 1e10)]
OWEN += [(6, 0.2), (6, -0.9), (6, before(1.0)), (-20, 0.2), (-20, 8), (37, 1e-8)]

FUNCTIONS = {
    'exp': Function(exp, one([x for x in REAL if abs(x) < 1e5] + [709.7, -708.5, -744])),
    'expm1': Function(expm1, one([x for x in REAL if abs(x) < 1e5] + [709.7, -0.4, 0.34, -50])),
    'log': Function(log, one(POSITIVE)),
    'log1p': Function(log1p, one(ABOVE_MINUS_1)),
    'abs': Function(abs, one(REAL), kink=lambda x: x == 0),
    'sign': Function(mp.sign, one(REAL), kink=lambda x: x == 0),
    'lgamma': Function(loggamma, one(POSITIVE)),
    'digamma': Function(lambda x: psi(0, x), one(POSITIVE)),
    'trigamma': Function(lambda x: psi(1, x), one(POSITIVE)),
    'tetragamma': Function(lambda x: psi(2, x), one(POSITIVE)),
    'digamma_log': Function(lambda x: psi(0, x) - log(x), one(POSITIVE)),
    'trigamma_inv': Function(lambda x: psi(1, x) - 1 / x, one(POSITIVE)),
    'tetragamma_inv2': Function(lambda x: psi(2, x) + 1 / x ** 2, one(POSITIVE)),
    'lgamma_diff': Function(rounded_difference(loggamma), DIFFERENCES),
    'digamma_diff': Function(rounded_difference(lambda z: psi(0, z)), DIFFERENCES),
    'trigamma_diff': Function(rounded_difference(lambda z: psi(1, z)), DIFFERENCES),
    'tetragamma_diff': Function(rounded_difference(lambda z: psi(2, z)), DIFFERENCES),
    'polygamma': Function(lambda m, x: psi(int(m), x), pairs(ORDERS, POSITIVE, 0.25), without=(0,),
                          loss=lambda m, x: m * max(0, -math.log10(x)) if x > 1e-20 else 40),
    'erf': Function(erf, one([x for x in REAL if abs(x) < 1e5])),
    'ndtr': Function(ndtr, one([x for x in REAL if abs(x) < 1e5] + [-37.5, -38.5]), loss=square_digits),
    'log_ndtr': Function(log_ndtr, one(REAL), loss=square_digits),
    'ndtr_ratio': Function(ndtr_ratio, one(REAL), loss=square_digits),
    'normal_quantile': Function(normal_quantile, one(UNIT)),
    'ndtr_residual': Function(lambda x: x + ndtr_ratio(x), one(REAL), loss=lambda x: square_digits(x) + 4 * size(x)),
    'normal_quantile_du': Function(lambda u: 1 / normal_density(normal_quantile(u)), one(UNIT)),
    't_logpdf': Function(st.log_density, STUDENT, loss=little),
    't_cdf': Function(lambda x, nu: exp(st.log_cdf(x, nu)), STUDENT, loss=little),
    't_logcdf': Function(st.log_cdf, STUDENT, loss=little),
    't_ratio': Function(st.ratio, STUDENT, loss=little),
    't_logcdf_dnu': Function(lambda x, nu: difference(st.log_cdf, (x, nu), 1), STUDENT, digits=120, loss=little, without=(1,)),
    't_quantile': Function(t_quantile, CHANCES, loss=little),
    't_quantile_du': Function(lambda u, nu: exp(-st.log_density(t_quantile(u, nu), nu)), CHANCES, loss=little),
    't_quantile_dnu': Function(lambda u, nu: difference(t_quantile, (u, nu), 1), CHANCES, digits=120, loss=little, without=(1,)),
    'gamma_quantile': Function(gamma_quantile, SHAPED, loss=little),
    'gamma_quantile_du': Function(gamma_quantile_du, SHAPED, loss=lambda u, a: 20 + 2 * size(a)),
    'gamma_quantile_da': Function(gamma_quantile_da, SHAPED, digits=120, loss=little, without=(1,)),
    'sigmoid': Function(sigmoid, one(REAL), loss=lambda x: min(abs(x), 1000)),
    'log_sigmoid': Function(lambda x: -softplus(-x), one(REAL), loss=lambda x: min(abs(x), 1000)),
    'softplus': Function(softplus, one(REAL), loss=lambda x: min(abs(x), 1000)),
    'logit': Function(lambda p: log(p) - log1p(-p), one(UNIT)),
    'sinh': Function(mpmath.sinh, one([x for x in REAL if abs(x) < 710]), loss=lambda x: min(abs(x), 1000)),
    'cosh': Function(mpmath.cosh, one([x for x in REAL if abs(x) < 710]), loss=lambda x: min(abs(x), 1000)),
    'tanh': Function(mpmath.tanh, one([x for x in REAL if abs(x) < 1e5] + [0.6, -0.63, 18.9, 350.0]), loss=lambda x: min(abs(x), 1000)),
    'sin': Function(mpmath.sin, ANGLES, kink=lambda x: abs(x) > 1e15),
    'cos': Function(mpmath.cos, ANGLES, kink=lambda x: abs(x) > 1e15),
    'tan': Function(mpmath.tan, ANGLES, kink=lambda x: abs(x) > 1e15),
    'atan': Function(mpmath.atan, one(REAL + [0.4, 0.6, -0.66, 2.4, 2.5])),
    'asinh': Function(mpmath.asinh, one(REAL)),
    'log1mexp': Function(lambda x: log(-expm1(x)), one(BELOW_0), loss=lambda x: size_twice(x) + min(-x, 1000)),
    'atanh': Function(mpmath.atanh, one([0.0] + [s * x for x in MAGNITUDES if x < 1 for s in (1, -1)] + [0.5, -0.99, 0.999999, before(1.0), -before(1.0), 0.99999999])),
    'logaddexp': Function(lambda x, y: max(x, y) + softplus(-abs(x - y)), LOGARITHMS, loss=lambda x, y: 20 + min(abs(x - y), 1000)),
    'log_bessel_i': Function(bessel.log_i, BESSEL, loss=tails),
    'log_bessel_i_dnu': Function(lambda x, nu: difference(bessel.log_i, (x, nu), 1), BESSEL, digits=120, loss=tails, without=(1,)),
    'bessel_i_ratio': Function(bessel.i_ratio, BESSEL, loss=tails),
    'bessel_i_ratio_dx': Function(lambda x, nu: difference(bessel.i_ratio, (x, nu), 0), BESSEL, digits=120, loss=tails),
    'log_bessel_k': Function(bessel.log_k, BESSEL, loss=tails),
    'log_bessel_k_dnu': Function(lambda x, nu: difference(bessel.log_k, (x, nu), 1), BESSEL, digits=120, loss=tails, without=(1,)),
    'bessel_k_ratio': Function(bessel.k_ratio, BESSEL, loss=tails),
    'gamma_cdf': Function(lambda x, a: exp(gamma_log_cdf(x, a)), TAILS, loss=gamma_digits),
    'gamma_logcdf': Function(gamma_log_cdf, TAILS, loss=gamma_digits),
    'gamma_logsf': Function(gamma_log_sf, TAILS, loss=gamma_digits),
    'gamma_ratio': Function(lambda x, a: exp((a - 1) * log(x) - x - loggamma(a) - gamma_log_cdf(x, a)), TAILS, loss=gamma_digits),
    'gamma_hazard': Function(lambda x, a: exp((a - 1) * log(x) - x - loggamma(a) - gamma_log_sf(x, a)), TAILS, loss=gamma_digits),
    'gamma_logcdf_da': Function(lambda x, a: difference(gamma_log_cdf, (x, a), 1), TAILS, digits=120, loss=gamma_digits, without=(1,)),
    'gamma_logsf_da': Function(lambda x, a: difference(gamma_log_sf, (x, a), 1), TAILS, digits=120, loss=gamma_digits, without=(1,)),
    'beta_cdf': Function(lambda x, a, b: exp(beta_log_cdf(x, a, b)), BETA, loss=beta_digits),
    'beta_logcdf': Function(beta_log_cdf, BETA, loss=beta_digits),
    'beta_logsf': Function(beta_log_sf, BETA_SOME, loss=beta_digits),
    'beta_ratio': Function(lambda x, a, b: exp(beta_log_density(x, a, b) - beta_log_cdf(x, a, b)), BETA_SOME, loss=beta_digits),
    'beta_hazard': Function(lambda x, a, b: exp(beta_log_density(x, a, b) - beta_log_sf(x, a, b)), BETA_FEW, loss=beta_digits),
    'beta_logcdf_da': Function(lambda x, a, b: difference(beta_log_cdf, (x, a, b), 1), BETA_FEW, digits=120, loss=beta_digits, without=(1, 2)),
    'beta_logcdf_db': Function(lambda x, a, b: difference(beta_log_cdf, (x, a, b), 2), BETA_FEW, digits=120, loss=beta_digits, without=(1, 2)),
    'beta_logsf_da': Function(lambda x, a, b: difference(beta_log_sf, (x, a, b), 1), BETA_FEW, digits=120, loss=beta_digits, without=(1, 2)),
    'beta_logsf_db': Function(lambda x, a, b: difference(beta_log_sf, (x, a, b), 2), BETA_FEW, digits=120, loss=beta_digits, without=(1, 2)),
    'owens_t': Function(owens_t, OWEN, loss=lambda h, a: 30 + 2 * size(h, a)),
    'where': Function(lambda c, x: x if c != 0 else mpf(0), [(c, x) for c in (0.0, 0.25, 1.0) for x in (0.0, TINY, 1, -1, -MAX)],
                      kink=lambda c, x: c < 1e-20),
    'less': relation(lambda x, y: mpf(x < y)),
    'equal': relation(lambda x, y: mpf(x == y)),
    'difference': Function(lambda x, y: x - y, [(x, y) for x in (0.0, TINY, 1, after(1.0), -3.1, 1e300) for y in (0.0, TINY, 1, -1, 1e10, -MAX)]),
    'min': relation(min),
    'max': relation(max),
}


def hard():
    """The points of testdata/hard.tsv, by function."""
    points = {}
    with open('testdata/hard.tsv') as rows:
        for name, *args in (row.split('\t') for row in rows if not row.startswith('#')):
            points.setdefault(name, []).append(tuple(float.fromhex(a.strip()) for a in args))
    return points


def difference(f, args, k):
    """The derivative of f in its k-th argument."""
    x = args[k]
    small = mpf(10) ** -40
    if x == 0:
        h = mpf(10) ** -60
    elif k == 0 and f in OF_CHANCE:
        h = small * min(x, 1 - x)
    else:
        h = small * abs(x)
    up, down = list(args), list(args)
    if x == 0 and f in ONE_SIDED:  # the end of the domain: from the right, to second order
        at = lambda n: f(n * h, *args[1:])
        return (4 * at(1) - at(2) - 3 * at(0)) / (2 * h)
    up[k] += h
    down[k] -= h
    return (f(*up) - f(*down)) / (up[k] - down[k])


OF_CHANCE = {FUNCTIONS[n].value for n in ('normal_quantile', 'normal_quantile_du', 't_quantile', 't_quantile_du', 't_quantile_dnu',
                                           'gamma_quantile', 'gamma_quantile_du', 'gamma_quantile_da', 'logit')}
ONE_SIDED = {FUNCTIONS[n].value for n in ('lgamma_diff', 'digamma_diff', 'trigamma_diff', 'tetragamma_diff')}

def confirmed(compute, digits):
    """The number to 25 digits, confirmed by more digits; more still where they disagree."""
    for more in (0, 60, 200, 600, 1500):
        with mp.workdps(digits + more):
            first = compute()
        with mp.workdps(int(1.3 * (digits + more)) + 17):
            second = compute()
        if first == 0 == second and more < 600:
            continue  # all digits may have cancelled
        if first == second or abs(first - second) <= abs(second) * mpf(10) ** -24:
            return second
    raise ValueError('no agreement: %s, %s' % (nstr(first, 30), nstr(second, 30)))


def text(v):
    if v != 0 and abs(mp.log10(abs(v))) > 400:  # beyond all float64, by far
        return '%s1e%s400' % ('-' if v < 0 else '', '+' if abs(v) > 1 else '-')
    return nstr(v, 25, min_fixed=0, max_fixed=0)


def numbers(name, args, derivatives=True):
    f = FUNCTIONS[name]
    exact = [mpf(a) for a in args]
    digits = f.digits_at(args)
    out = [text(confirmed(lambda: mpf(f.value(*exact)), digits))]
    for k in range(len(args) if derivatives else 0):
        if k in f.without or f.kink(*args):
            out.append('-')
            continue
        out.append(text(confirmed(lambda: mpf(difference(f.value, exact, k)), digits + 130)))
    return out


# Random points of the whole domain.

WIDE = {  # kinds of arguments
    'line': lambda r: r.choice((signed(1e-3, 40), signed(1e-3, 10), signed(1e-300, 1e3)))(r),
    'positive': lambda r: r.choice((logs(1e-2, 10), logs(1e-3, 1e3), logs(1e-320, 1e300)))(r),
    'chance': chance,
    'correlation': lambda r: r.choice((1, -1)) * chance(r),
    'degrees': lambda r: r.choice((logs(0.05, 50), logs(0.5, 30), logs(1e-3, 1e3), logs(1e-3, 1e10)))(r),
    'shape': lambda r: r.choice((logs(0.05, 50), logs(0.5, 30), logs(1e-3, 300)))(r),
    'order': lambda r: float(r.randrange(1, 151)),
    'count': lambda r: r.choice((logs(1e-3, 100), logs(0.1, 10), lambda r: float(r.randrange(1, 30))))(r),
    'base': lambda r: r.choice((logs(1e-2, 10), logs(1e-3, 1e3), logs(1e-12, 1e12)))(r),
}
SEARCH = {name: ['line'] for name in FUNCTIONS}
SEARCH.update({n: ['positive'] for n in ('log', 'lgamma', 'digamma', 'trigamma', 'tetragamma', 'digamma_log', 'trigamma_inv', 'tetragamma_inv2')})
SEARCH.update({n: ['count', 'base'] for n in ('lgamma_diff', 'digamma_diff', 'trigamma_diff', 'tetragamma_diff')})
SEARCH.update({n: ['line', 'degrees'] for n in ('t_logpdf', 't_cdf', 't_logcdf', 't_ratio', 't_logcdf_dnu')})
SEARCH.update({n: ['chance', 'degrees'] for n in ('t_quantile', 't_quantile_du', 't_quantile_dnu')})
SEARCH.update({n: ['chance', 'shape'] for n in ('gamma_quantile', 'gamma_quantile_du', 'gamma_quantile_da')})
SEARCH.update({n: ['positive', 'shape'] for n in ('gamma_cdf', 'gamma_logcdf', 'gamma_logsf', 'gamma_ratio', 'gamma_hazard', 'gamma_logcdf_da', 'gamma_logsf_da')})
SEARCH.update({n: ['degrees', 'degrees'] for n in FUNCTIONS if 'bessel' in n})
SEARCH.update({n: ['chance', 'shape', 'shape'] for n in FUNCTIONS if n.startswith('beta_')})
SEARCH['owens_t'] = ['line', 'line']
SEARCH.update({'polygamma': ['order', 'positive'], 'normal_quantile': ['chance'], 'normal_quantile_du': ['chance'], 'logit': ['chance'],
               'atanh': ['correlation']})


def emit(out, name, rows, derivatives=True):
    for args in rows:
        args = [float(a) for a in args]
        try:
            made = numbers(name, args, derivatives)
        except (ValueError, AssertionError, ZeroDivisionError) as e:
            print('%s%s: %r' % (name, args, e), file=sys.stderr)
            continue
        print('\t'.join([name] + [a.hex() for a in args] + made), file=out, flush=True)


def main():
    if len(sys.argv) > 1 and not sys.argv[-1].isdigit():
        table(sys.stdout, sys.argv[1:])
        return
    if len(sys.argv) > 1:
        name, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
        r = random.Random(seed)
        emit(sys.stdout, name, [tuple(WIDE[w](r) for w in SEARCH[name]) for _ in range(count)], derivatives=False)
        return
    with open('testdata/accuracy.tsv', 'w') as out:
        print('# testdata/accuracy.py, mpmath %s, %s' % (mpmath.__version__, mpmath.libmp.BACKEND), file=out)
        table(out, FUNCTIONS)


def table(out, names):
    more = hard()
    for name in names:
        seen = set()
        emit(out, name, [p for p in FUNCTIONS[name].points + more.get(name, []) if not (p in seen or seen.add(p))])


if __name__ == '__main__':
    main()
