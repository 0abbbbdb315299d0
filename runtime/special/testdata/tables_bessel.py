"""Logarithms and ratios of modified Bessel functions for the tables: by mpmath, and for large numbers by the expansions for large orders
(DLMF 10.41.3, 10.41.4), which agree where both are possible (run this file)."""
from mpmath import mp, mpf, besseli, besselk, log, asinh, sqrt, pi

import fit_bessel

fit_bessel.TERMS = 30
with mp.workdps(300):
    DEBYE = [[mpf(c.numerator) / c.denominator for c in row] for row in fit_bessel.debye()]
LARGE = 250  # where the expansions have 45 digits


def expansion(x, nu, sign):
    s = sqrt(x * x + nu * nu)
    p = nu / s
    total = mpf(0)
    for k, row in enumerate(DEBYE):
        total += sum(c * p ** (j - k) for j, c in enumerate(row) if c) * (sign / s) ** k
    constant = -log(2 * pi) / 2 if sign > 0 else log(pi / 2) / 2
    return sign * (s - nu * asinh(nu / x)) - log(s) / 2 + constant + log(total)


def log_i(x, nu):
    return expansion(x, nu, 1) if abs(x) + abs(nu) > LARGE else log(besseli(nu, x))


def log_k(x, nu):
    nu = abs(nu)
    return expansion(x, nu, -1) if abs(x) + nu > LARGE else log(by_reflection(x, nu))


def by_reflection(x, nu):
    """K by DLMF 10.27.4, but for whole orders: mpmath's besselk takes minutes for some arguments."""
    if nu == mp.nint(nu):
        return besselk(nu, x)
    poles = int(-mp.log10(abs(nu - mp.nint(nu))))
    with mp.workdps(int(mp.dps + 2 * poles + x + 30)):
        value = pi / 2 * (besseli(-nu, x) - besseli(nu, x)) / mp.sinpi(nu)
    return +value


def i_ratio(x, nu):
    return mp.exp(log_i(x, nu + 1) - log_i(x, nu))


def k_ratio(x, nu):
    return mp.exp(log_k(x, nu + 1) - log_k(x, nu))


if __name__ == '__main__':
    mp.dps = 60
    for x, nu in ((200, 150), (260, 5), (3, 300)):
        x, nu = mpf(x), mpf(nu)
        print(mp.nstr(expansion(x, nu, 1) - log(besseli(nu, x)), 5), mp.nstr(expansion(x, nu, -1) - log(by_reflection(x, nu)), 5))
    print(mp.nstr(by_reflection(mpf(2), mpf(3)) / besselk(3, 2) - 1, 5))
