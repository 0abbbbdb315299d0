#!/usr/bin/env python3
"""Maximum likelihood with scipy, of data that others collected, which R has: oracle.json. From the package directory:

    python3 testdata/oracle.py > testdata/oracle.json

Data: directions of currents in quartzite on Islay, in degrees (boot::islay, Till 1974), earthquakes off Fiji as directions from the centre
of the earth (datasets::quakes, Harvard PRIM-H project, every tenth), shapes of pores of oil-bearing rock (datasets::rock), precipitation in cities of the
United States (datasets::precip, McNeil 1977), wind directions at Col de la Roa (circular::wind, Agostinelli 2007), household expenditures
on housing, food and services as directions (HSAUR3::household, as in Hornik and Gruen 2014, movMF), returns of four stock indices
(datasets::EuStockMarkets) as covariance matrices of 20 days and as matrices of 5 days by 4 markets.
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
    columns = 1 if x.ndim == 1 else x.shape[1]
    return {'problem': problem, 'columns': columns, 'data': np.round(x, 12).ravel().tolist(), 'log_likelihood': float(density(np.round(x, 12)).sum()),
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
    return case('vonmisesfisher', x, stats.vonmises_fisher(mu, kappa).logpdf, {'mu': mu.tolist(), 'kappa': [float(kappa)]})


def mixture(problem, x, unit, log_bessel_order, log_density, start, parameters):
    """EM from many starts; unit are the observations as directions, log_density those of a mean direction and a concentration."""
    d = unit.shape[1]
    rng = np.random.default_rng(1)

    def concentration(r):
        ratio = lambda k: scipy.special.ive(log_bessel_order + 1, k) / scipy.special.ive(log_bessel_order, k) - r
        return optimize.brentq(ratio, 1e-9, 1e4, xtol=1e-14, rtol=1e-14)
    best = None
    for _ in range(6):
        w = rng.dirichlet(np.ones(2), len(unit))
        last = -np.inf
        for _ in range(3000):
            mean = w.T @ unit / w.sum(0)[:, None]
            r = np.linalg.norm(mean, axis=1)
            theta = [(m / k, concentration(min(k, 1 - 1e-9))) for m, k in zip(mean, r)]
            share = w.mean(0)
            logs = np.column_stack([np.log(p) + log_density(unit, *t) for p, t in zip(share, theta)])
            total = scipy.special.logsumexp(logs, axis=1)
            w = np.exp(logs - total[:, None])
            if abs(total.sum() - last) < 1e-15 * abs(last):
                break
            last = total.sum()
        if best is None or total.sum() > best[0]:
            best = total.sum(), share, theta
    value, share, theta = best
    order = np.argsort(share)
    return {'problem': problem, 'columns': 1 if x.ndim == 1 else x.shape[1], 'data': np.round(x, 12).ravel().tolist(),
            'log_likelihood': float(value), 'parameters': {}, 'weights': share[order].tolist(), 'kappa': [theta[i][1] for i in order]}


def log_vmf(x, mu, kappa):
    return stats.vonmises_fisher(mu, kappa).logpdf(x / np.linalg.norm(x, axis=1)[:, None])


def von_mises_mixture():
    x = from_r('as.numeric({data(wind, package="circular"); wind})')
    x = np.round(np.arctan2(np.sin(x), np.cos(x)), 12)
    return mixture('vonmisesmix', x, np.c_[np.cos(x), np.sin(x)], 0,
                   lambda u, mu, kappa: stats.vonmises(kappa, loc=np.arctan2(mu[1], mu[0])).logpdf(np.arctan2(u[:, 1], u[:, 0])), None, None)


def von_mises_fisher_mixture():
    x = np.column_stack([from_r('HSAUR3::household$%s' % name) for name in ('housing', 'food', 'service')])
    x = np.round(x / np.linalg.norm(x, axis=1)[:, None], 12)
    return mixture('vonmisesfishermix', x, x, 0.5, log_vmf, None, None)


def returns():
    r = from_r('as.vector(t(100*diff(log(EuStockMarkets))))').reshape(-1, 4)
    return r


def covariances():
    r = returns()
    n = len(r) // 20
    return np.round([np.cov(r[20 * i:20 * (i + 1)].T) for i in range(n)], 12)


def degrees(s, d):
    """The solution of d*log(nu/2) - (the derivative of the log-multivariate gamma function at nu/2) = s."""
    def excess(nu):
        return d * np.log(nu / 2) - scipy.special.digamma((nu - np.arange(d)) / 2).sum() - s
    return optimize.brentq(excess, d - 1 + 1e-6, 1e4, xtol=1e-13, rtol=1e-14)


def of_matrices(problem, density, scale, x, nu, v):
    return {'problem': problem, 'columns': x.shape[1] ** 2, 'data': x.ravel().tolist(),
            'log_likelihood': float(density(nu, v).logpdf(np.moveaxis(x, 0, -1)).sum()), 'parameters': {'nu': [nu], scale: v.ravel().tolist()}}


def wishart(problem='wishart'):
    x = covariances()
    nu = degrees(np.linalg.slogdet(x.mean(0))[1] - np.linalg.slogdet(x)[1].mean(), 4)
    return of_matrices(problem, stats.wishart, 'V', x, nu, x.mean(0) / nu)


def inverse_wishart():
    x = covariances()
    y = np.linalg.inv(x)
    nu = degrees(np.linalg.slogdet(y.mean(0))[1] - np.linalg.slogdet(y)[1].mean(), 4)
    return of_matrices('inversewishart', stats.invwishart, 'Psi', x, nu, nu * np.linalg.inv(y.mean(0)))


def matrix_normal():
    r = returns()
    n = len(r) // 5
    x = np.round(r[:5 * n].reshape(n, 5, 4), 12)
    m = x.mean(0)
    z, v = x - m, np.eye(4)
    for _ in range(200):  # the flip-flop algorithm of Dutilleul (1999)
        u = np.einsum('nij,jk,nlk->il', z, np.linalg.inv(v), z) / (4 * n)
        v = np.einsum('nji,jk,nkl->il', z, np.linalg.inv(u), z) / (5 * n)
        u, v = u * np.trace(v), v / np.trace(v)
    s = np.sqrt(np.diag(v))
    return {'problem': 'matrixnormal', 'columns': 20, 'data': x.ravel().tolist(),
            'log_likelihood': float(stats.matrix_normal(m, u, v).logpdf(x).sum()),
            'parameters': {'M': m.ravel().tolist(), 'U': u.ravel().tolist(), 's': (s ** 2).tolist(), 'R': (v / np.outer(s, s)).ravel().tolist()}}


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
    print(json.dumps({'scipy': scipy.__version__, 'cases': [f() for f in (von_mises, von_mises_fisher, von_mises_mixture, von_mises_fisher_mixture, wishart,
                                                                           lambda: wishart('wishartbyinverse'), inverse_wishart, matrix_normal, kumaraswamy, logistic, weibull, weibull_known_shape)]},
                     indent=1))
