#!/usr/bin/env python3
"""Reference tables of the Student-t functions of package special, by mpmath.

Nothing here uses the method of the package: the constant comes from loggamma,
the tail from three hypergeometric series with as many digits as it takes,
derivatives in nu are central differences with a relative step of 1e-20, and
quantiles come from Newton's method. From the package directory:

    python3 testdata/tables_student.py
"""
import math

from mpmath import mp, mpf, exp, log, log1p, loggamma, pi

from tables import after, around, before, log_random, log_spaced, rng, write


def log_density(x, nu):
    a = nu / 2
    if nu > mpf(10) ** 100:  # loggamma would need as many digits as nu has, twice
        constant = -1 / (8 * a) + 1 / (192 * a ** 3) - 1 / (640 * a ** 5) - log(2 * pi) / 2
    else:
        with mp.workdps(mp.dps + max(0, 2 * int(mp.log10(nu))) + 5):
            constant = loggamma(a + mpf(1) / 2) - loggamma(a) - log(pi * nu) / 2
    return constant - (a + mpf(1) / 2) * log1p(x * x / nu)


def positive_series(ratio):
    """1 + r0 + r0 r1 + ..., to the last digit, for ratios that tend to a limit below 1 or rise before they fall."""
    total, term, k = mpf(1), mpf(1), 0
    least = mpf(10) ** -(mp.dps + 5)
    while True:
        r = ratio(k)
        term *= r
        total += term
        k += 1
        if r < 0.9 and term < least * total:
            return total


def log_tail(x, nu):
    """log P(T > x) for x >= 0."""
    a, s = nu / 2, x * x / nu
    half = mpf(1) / 2
    if s >= half:
        z = 1 / (1 + s)
        h = positive_series(lambda k: z * (a + half + k) / (a + 1 + k))
        return log_density(x, nu) + log(x / nu * h)
    if nu > 3000 and x * x > 2000:  # asymptotic, alternating: the error is below the first term left out
        total, term, k = mpf(1), mpf(1), 0
        while abs(term) > mpf(10) ** -(mp.dps + 5):
            new = -term * (half + k) / ((a + 1 + k) * s)
            assert abs(new) < abs(term)
            term, k = new, k + 1
            total += term
        return log_density(x, nu) + log((1 + s) / x * total)
    size = int((nu + 1) / 2 * log1p(s) / log(mpf(10))) if nu < mpf(10) ** 30 else int(x * x / 4)
    with mp.workdps(mp.dps + size + 15):
        y = x * x / (nu + x * x)
        delta = x * exp(log_density(x, nu)) * positive_series(lambda k: y * (a + half + k) / (k + 3 * half))
        return log(half - delta)


def log_cdf(x, nu):
    return log_tail(-x, nu) if x <= 0 else log1p(-exp(log_tail(x, nu)))


def ratio(x, nu):
    return exp(log_density(x, nu) - log_cdf(x, nu))


def difference(f, nu):
    h = nu * mpf(10) ** -20
    return (f(nu + h) - f(nu - h)) / (2 * h)


def log_cdf_slope(x, nu):
    return difference(lambda n: log_cdf(x, n), nu)


def slope_digits(x, nu):
    return 110 + int(3 * max(0, math.log10(nu)) + max(0, -math.log10(nu)) - min(0, math.log10(abs(x))))


def quantile(log_p, nu, x=mpf(1)):
    """x > 0 with log_tail(x) = log_p: Newton in log x, in which log_tail is concave."""
    for _ in range(400):
        value = log_tail(x, nu)
        step = (value - log_p) * exp(value - log_density(x, nu)) / x
        step = max(min(step, mpf(30)), mpf(-30))
        x *= exp(step)
        if abs(step) < mpf(10) ** -32:
            return x
    raise ValueError((log_p, nu))


def quantile_of(u, nu):
    if u == 0.5:
        return mpf(0)
    return -quantile(log(u), nu) if u < 0.5 else quantile(log1p(-u), nu)


def quantile_of_log(log_u, nu):
    median = -log(mpf(2))
    return -quantile(log_u, nu) if log_u < median else quantile(log(-mp.expm1(log_u)), nu)


def quantile_slope_at(x, nu):
    if x > 0:
        return -quantile_slope_at(-x, nu)
    f = exp(log_density(x, nu))
    return -difference(lambda n: exp(log_cdf(x, n)), nu) / f


NU = [1e-3, 0.1, 0.5, 1, 2, 2.43, 4, 7, 10, 15, before(20.5), 20.5, 30, 100, 1e3, 1e6, 1e10, 1e20, 1e300]
X = [1e-300, 1e-10, 1e-4, 0.1, 0.5, 0.9, after(0.9), 1.3, 1.7, 2.5, 4, 7, 10, 20, 37, 100, 1e3, 1e6, 1e10]

# The worst points of a search of 6000 random points a function, at the time of writing.
WORST = [(2.988439168750106, 19.317991356393797), (9.921750664779697, 21.44623496682621),
         (1.70343037957542, 20.075065232019533), (0.4870453040076901, 0.7107111885354008),
         (0.8469597660515251, 30.61257403448271), (8.63860755658602, 21.126591270472844),
         (7.114470764125449, 16.700771666857875), (2.018810420110051, 3733.8919012413626)]
WORST_SLOPE = [(0.9064281990760508, 16.46759798687202), (-0.8845722584769925, 15.524556991531469),
               (0.7566561928281125, 16.31936296015732), (1.1644539235281557, 14.690299294507403)]
WORST_CHANCE = [(0.8068107490169824, 0.738141838983283), (0.7310648378223588, 1.7156335432159373),
                (0.17852101408091736, 0.85601882485864), (0.807705535026061, 7.883163904230649)]
WORST_LOG_CHANCE = [(-0.9877657946231705, 0.2582032839391238), (-0.22939146374983801, 2.4271721036236578),
                    (-0.458231290807871, 0.7107111885354008), (-1.0853052956927025, 11.712295385426549)]


def borders():
    """Points on both sides of the borders between the forms: x = 0.9, s = 1/3, s = 3, xi = 0.05 and 0.7, nu = 20.5."""
    rows = []
    for nu in (0.2, 1, 2, 5, 12, 18.5, 19.9, 20.5, 21, 40, 200):
        for s in (1 / 3, 3, math.expm1(0.05), math.expm1(0.7)):
            rows += [(x, nu) for x in around(math.sqrt(nu * s))[:3]]
    return rows


def points():
    rows = WORST + [(x, nu) for x in X for nu in NU] + borders()
    rows += list(zip(log_random(0.05, 30, 150), log_random(0.05, 300, 150)))
    rows += list(zip(log_random(0.5, 10, 80), log_random(0.5, 50, 80)))
    return rows + list(zip(log_random(1e-5, 1e12, 60), log_random(1e-3, 1e12, 60)))


def both(rows):
    return [(sign * x, nu) for x, nu in rows for sign in (-1, 1)]


def visible(rows):
    """The points whose tail and density are normal numbers."""
    mp.dps = 20
    return [(x, nu) for x, nu in rows
            if min(log_tail(mpf(abs(x)), mpf(nu)), log_density(mpf(x), mpf(nu))) > -705]


def chances(rows):
    """The points (x, nu) as (u, nu), and more."""
    mp.dps = 60
    made = WORST_CHANCE + [(float(exp(log_cdf(mpf(x), mpf(nu)))), nu) for x, nu in rows if nu >= 0.1]
    extremes = [1e-300, 1e-100, 1e-20, 1e-3, 0.4, before(0.5), after(0.5), 1 - 1e-10, before(1.0)]
    made += [(u, nu) for u in extremes for nu in (1, 2, 2.9, 3, 5, 10, 50, 1e4, 1e10, 1e300)]
    made += [(0.5 + sign * 10.0 ** -k, nu) for k in range(1, 17, 2) for sign in (-1, 1) for nu in (0.1, 1, 4, 100, 1e8)]
    return [(u, nu) for u, nu in made if 1e-300 <= u < 1]


def log_chances(rows):
    mp.dps = 60
    made = WORST_LOG_CHANCE + [(float(log_cdf(mpf(x), mpf(nu))), nu) for x, nu in rows if nu >= 0.1]
    logs = (-1e5, -1e4, -1e3, -0.7, -0.6931471805599453, -0.69, -1e-20, -1e-250)
    made += [(l, nu) for l in logs for nu in (5e2, 1e4, 1e10, 1e300)]
    return [(l, nu) for l, nu in made if l < 0]


def main():
    sizes = log_spaced(1e-30, 1e-9, 20) + log_spaced(1e-9, 1e3, 300) + log_spaced(1e3, 1e300, 60)
    write('log1ptwo', [(s,) for s in sizes + [k / 64 for k in range(1, 64)]], log1p)
    exponents = log_spaced(1e-20, 700, 150) + [k * math.log(2) / 128 for k in range(1, 64, 2)]
    write('exptwo', [(sign * x,) for x in exponents for sign in (1, -1)], exp)
    rows = points()
    seen = visible(both(rows))
    modest = [(x, nu) for x, nu in seen if nu < 1e13]
    far = [(-x, nu) for x, nu in rows]
    some = lambda rows, n: both(WORST) + rng.sample(rows, n)
    write('tlogpdf', some(rows, 450), log_density)
    write('tcdf', some(seen, 750), lambda x, nu: exp(log_cdf(x, nu)))
    write('tlogcdf', some(seen, 800) + rng.sample(far, 200), log_cdf)
    write('tratio', some(seen, 550) + rng.sample(far, 200), ratio)
    deep = [(x, nu) for x, nu in far if nu < 1e13]
    write('tlogcdfdnu', WORST_SLOPE + some(modest, 600) + rng.sample(deep, 150), log_cdf_slope, slope_digits)
    write('tquantilednuat', WORST_SLOPE + some(modest, 400), quantile_slope_at, slope_digits)
    write('tquantile', chances(some(seen, 450)), quantile_of)
    write('tquantilelog', log_chances(some(seen, 250) + rng.sample(far, 100)), quantile_of_log)


if __name__ == '__main__':
    main()
