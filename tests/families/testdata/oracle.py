#!/usr/bin/env python3
"""Maximum likelihood with scipy, of data that others collected, which R has: oracle.json. From the package directory:

    python3 testdata/oracle.py > testdata/oracle.json

Data: directions of currents in quartzite on Islay, in degrees (boot::islay, Till 1974), earthquakes off Fiji as directions from the centre
of the earth (datasets::quakes, Harvard PRIM-H project, every tenth), shapes of pores of oil-bearing rock (datasets::rock), precipitation in cities of the
United States (datasets::precip, McNeil 1977).
"""
import json
import subprocess

import numpy as np
import scipy
from scipy import optimize, stats


def from_r(expression):
    out = subprocess.run(['Rscript', '-e', 'cat(format(%s, digits = 17))' % expression], capture_output=True, text=True, check=True).stdout
    return np.array([float(x) for x in out.split()])


def minimum(loss, start):
    best = optimize.minimize(loss, start, method='Nelder-Mead', options={'xatol': 1e-12, 'fatol': 1e-14, 'maxiter': 20000, 'maxfev': 20000})
    return optimize.minimize(loss, best.x, method='Nelder-Mead', options={'xatol': 1e-13, 'fatol': 1e-15, 'maxiter': 20000, 'maxfev': 20000}).x


def case(problem, x, density, parameters):
    return {'problem': problem, 'data': np.round(x, 12).ravel().tolist(), 'log_likelihood': float(density(np.round(x, 12)).sum()),
            'parameters': parameters}


def von_mises():
    angle = np.deg2rad(from_r('boot::islay$theta'))
    x = np.round(np.arctan2(np.sin(angle), np.cos(angle)), 12)
    kappa, mu, _ = stats.vonmises.fit(x, fscale=1)
    kappa = optimize.brentq(lambda k: scipy.special.ive(1, k) / scipy.special.ive(0, k) - abs(np.exp(1j * x).mean()), 1e-3, 100, xtol=1e-14)
    return case('vonmises', x, stats.vonmises(kappa, loc=mu).logpdf, {'mu': [float(mu)], 'kappa': [kappa]})


def von_mises_fisher():
    where = np.deg2rad(np.c_[from_r('datasets::quakes$lat'), from_r('datasets::quakes$long')][::10])
    x = np.c_[np.cos(where[:, 0]) * np.cos(where[:, 1]), np.cos(where[:, 0]) * np.sin(where[:, 1]), np.sin(where[:, 0])]
    mu, kappa = stats.vonmises_fisher.fit(x)
    return case('vonmisesfisher', x, stats.vonmises_fisher(mu, kappa).logpdf, {'theta': (kappa * mu).tolist()})


def kumaraswamy():
    x = from_r('datasets::rock$shape')

    def density(a, b):
        return lambda x: np.log(a * b) + (a - 1) * np.log(x) + (b - 1) * np.log1p(-x ** a)
    a, b = np.exp(minimum(lambda p: -density(*np.exp(p))(x).mean(), [0.5, 1]))
    return case('kumaraswamy', x, density(a, b), {'a': [a], 'b': [b]})


def logistic():
    x = from_r('datasets::precip')
    mu, s = minimum(lambda p: -stats.logistic.logpdf(x, p[0], abs(p[1])).mean(), [35, 7])
    return case('logisticdistribution', x, stats.logistic(mu, s).logpdf, {'mu': [mu], 's': [s]})


def weibull():
    x = from_r('datasets::precip')
    k, scale = minimum(lambda p: -stats.weibull_min.logpdf(x, p[0], scale=p[1]).mean(), [2, 35])
    return case('weibull', x, stats.weibull_min(k, scale=scale).logpdf, {'scale': [scale], 'k': [k]})


def weibull_known_shape():
    x = from_r('datasets::precip')
    beta = (x ** 2).mean()
    return case('weibullknownshape', x, stats.weibull_min(2, scale=beta ** 0.5).logpdf, {'beta': [beta]})


if __name__ == '__main__':
    print(json.dumps({'scipy': scipy.__version__, 'cases': [f() for f in (von_mises, von_mises_fisher, kumaraswamy, logistic, weibull, weibull_known_shape)]},
                     indent=1))
