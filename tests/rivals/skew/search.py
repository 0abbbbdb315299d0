"""Searches the likelihoods of skew-normal and skew-t distributions: their best finite maxima, and suprema at infinity.

    python search.py CASES.json SN.json OUT.json

It starts where sn.R ended and from many slants of its own, and follows the ends by Newton's method in a trust region
(skew-normal) or L-BFGS (skew-t). Everything is computed from the densities (Azzalini and Capitanio 2014, equations 5.3 and
6.24) in whitened data; only the profile over the scale matrix, which is S + (mean - xi)(mean - xi)', is used. What it calls
finite has a gradient of 0, a negative definite Hessian (skew-normal) and a slant that stays where it is.

At infinity the slant grows along a direction u, with the data on one side of the hyperplane u'x = u'xi. The supremum of the
skew-normal is n (log 2 - (d log(2 pi e) + log|S| + log(1 + h^2))/2), h the distance of the mean from the nearest facet of the
convex hull. Where the hull has too many facets, u is searched ("exact": false), which gives a lower bound.
"""

import json
import platform
import sys
import time
import warnings

import numpy as np
import scipy
from scipy.linalg import cholesky, solve_triangular
from scipy.optimize import minimize
from scipy.spatial import ConvexHull, QhullError
from scipy.special import gammaln, log_ndtr, psi, stdtr

LOG2PIE = np.log(2 * np.pi * np.e)
FAR = 1e4  # a slant of this length, in whitened data, is on its way to infinity


class Whitened:
    """Rows with mean 0 and covariance 1; loss is what log-likelihoods lose by it."""

    def __init__(self, x):
        self.mean = x.mean(axis=0)
        self.root = cholesky(np.cov(x.T, bias=True).reshape(x.shape[1], -1), lower=True)
        self.x = solve_triangular(self.root, (x - self.mean).T, lower=True).T
        self.loss = -len(x) * np.log(np.diag(self.root)).sum()

    def point(self, xi):
        return solve_triangular(self.root, np.atleast_1d(xi) - self.mean, lower=True)

    def slant(self, eta):
        return self.root.T @ np.atleast_1d(eta)


# Facets of the convex hull


def facets(x, random):
    """Outward unit normals u and distances h of supporting hyperplanes u'x = h, nearest first, and whether all facets
    were looked at."""
    n, d = x.shape
    if d == 1:
        u, h, exact = np.array([[1.0], [-1.0]]), np.array([x.max(), -x.min()]), True
    else:
        try:
            if d > 6 or d == 6 and n > 600:
                raise QhullError("too many facets")
            e = ConvexHull(x).equations
            u, h, exact = e[:, :-1], -e[:, -1], True
        except QhullError:
            u, h = searched(x, random)
            exact = False
    order = np.argsort(h)
    u, h = u[order], h[order]
    keep = [0]
    for i in range(1, min(len(h), 2000)):
        if len(keep) >= 20:
            break
        if all(u[i] @ u[j] < 1 - 1e-6 for j in keep):
            keep.append(i)
    return u[keep], h[keep], exact


def searched(x, random):
    """Local minima of the support function max u'x over unit vectors, by going from vertex to vertex: at the least of a
    facet's neighbourhood d rows touch the hyperplane. A smooth maximum is minimised, ever sharper."""
    n, d = x.shape
    us, hs = [], []
    for _ in range(60):
        u = random.standard_normal(d)
        u /= np.linalg.norm(u)
        for sharp in (5, 30, 200, 2000, 3e4):

            def f(v):
                r = np.linalg.norm(v)
                a = x @ v / r
                top = a.max()
                w = np.exp(sharp * (a - top))
                total = w.sum()
                g = x.T @ (w / total)
                return top + np.log(total) / sharp, (g - (g @ v) * v / r**2) / r

            u = minimize(f, u, jac=True, method="BFGS", options={"maxiter": 200}).x
            u /= np.linalg.norm(u)
        us.append(u)
        hs.append((x @ u).max())
    return np.array(us), np.array(hs)


# Skew-normal: the profile over the scale matrix, as a function of location and slant


class SkewNormal:
    def __init__(self, x):
        self.x, (self.n, self.d) = x, x.shape

    def value(self, v):
        xi, eta = v[: self.d], v[self.d :]
        w = (self.x - xi) @ eta
        return self.n * (np.log(2) - 0.5 * (self.d * LOG2PIE + np.log1p(xi @ xi))) + log_ndtr(w).sum()

    def parts(self, v):
        xi, eta = v[: self.d], v[self.d :]
        y = self.x - xi
        w = y @ eta
        zeta = np.exp(-0.5 * w * w - 0.5 * np.log(2 * np.pi) - log_ndtr(w))
        return xi, eta, y, zeta, -zeta * (w + zeta)

    def gradient(self, v):
        xi, eta, y, zeta, _ = self.parts(v)
        return np.concatenate([-self.n * xi / (1 + xi @ xi) - eta * zeta.sum(), y.T @ zeta])

    def hessian(self, v):
        xi, eta, y, zeta, slope = self.parts(v)
        s = 1 + xi @ xi
        i = np.eye(self.d)
        a = -self.n * (i / s - 2 * np.outer(xi, xi) / s**2) + slope.sum() * np.outer(eta, eta)
        b = -np.outer(eta, slope @ y) - zeta.sum() * i
        return np.block([[a, b], [b.T, (y * slope[:, None]).T @ y]])

    def climb(self, v):
        """The maximum that a start leads to, or None if the slant goes to infinity or to the saddle at 0."""
        loss, slope = lambda v: -self.value(v), lambda v: -self.gradient(v)
        r = minimize(loss, v, jac=slope, method="L-BFGS-B", options={"maxiter": 300, "ftol": 1e-13, "gtol": 1e-6})
        if self.separated(r.x):
            return None
        r = minimize(loss, r.x, jac=slope, hess=lambda v: -self.hessian(v), method="trust-exact",
                     options={"gtol": 1e-7, "maxiter": 40, "max_trust_radius": 1000.0})
        v = r.x
        slant = np.linalg.norm(v[self.d :])
        if not np.isfinite(r.fun) or slant > FAR or slant < 1e-4:
            return None
        h = self.hessian(v)
        scale = np.sqrt(np.abs(np.diag(h)))
        if (scale == 0).any():
            return None
        curvature, vectors = np.linalg.eigh(-h / np.outer(scale, scale))
        if curvature[0] < 1e-9:
            return None
        step = vectors @ ((vectors.T @ (self.gradient(v) / scale)) / curvature) / scale
        gain = self.gradient(v) @ step / 2
        if not 0 <= gain < 1e-8 or np.linalg.norm(step[self.d :]) > 0.01 * slant:
            return None
        return -r.fun, v

    def separated(self, v):
        """Whether all rows are on one side of the slant's hyperplane: then a longer slant is better, and no end finite."""
        return ((self.x - v[: self.d]) @ v[self.d :]).min() > 0

    def moments(self, direction, length):
        """Location and slant of a skew-normal with about the mean and covariance of the data."""
        u = direction / np.linalg.norm(direction)
        delta = length / np.sqrt(1 + length**2)
        b = np.sqrt(2 / np.pi) * delta
        spread = np.sqrt(1 - b * b)
        return np.concatenate([-b / spread * u, length * spread * u])


# Skew-t


class SkewT:
    """Location, logarithms of the diagonal and lower triangle of P with P'P the inverse of the scale matrix, slant, log nu."""

    def __init__(self, x, slant=True):
        self.x, (self.n, self.d) = x, x.shape
        self.lower = np.tril_indices(self.d, -1)
        self.m = len(self.lower[0])

    def unpack(self, v):
        d, m = self.d, self.m
        p = np.zeros((d, d))
        p[self.lower] = v[2 * d : 2 * d + m]
        p[np.arange(d), np.arange(d)] = np.exp(v[d : 2 * d])
        return v[:d], p, v[2 * d + m : 3 * d + m], np.exp(v[-1])

    def pack(self, xi, p, eta, nu):
        return np.concatenate([xi, np.log(np.diag(p)), p[self.lower], eta, [np.log(nu)]])

    def symmetric(self, xi, p, nu):
        """The log-likelihood of the t distribution, with derivatives by q, and the parts of those by nu."""
        d = self.d
        y = self.x - xi
        z = y @ p.T
        q = np.einsum("ij,ij->i", z, z)
        h = (nu + d) / 2
        value = self.n * (gammaln(h) - gammaln(nu / 2) - d / 2 * np.log(nu * np.pi) + np.log(np.diag(p)).sum()) - h * np.log1p(q / nu).sum()
        by_nu = self.n * (psi(h) - psi(nu / 2) - d / nu) / 2 - 0.5 * np.log1p(q / nu).sum() + (h * q / (nu * (nu + q))).sum()
        return value, y, z, q, -h / (nu + q), by_nu

    def both(self, v):
        d = self.d
        xi, p, eta, nu = self.unpack(v)
        if not 1e-3 < nu < 1e9:
            return -np.inf, np.zeros_like(v)
        value, y, z, q, by_q, by_nu = self.symmetric(xi, p, nu)
        w = y @ eta
        g = np.sqrt((nu + d) / (nu + q))
        a = w * g
        f = nu + d
        low = np.maximum(stdtr(f, a), 1e-300)
        value += self.n * np.log(2) + np.log(low).sum()
        density = np.exp(gammaln((f + 1) / 2) - gammaln(f / 2) - 0.5 * np.log(f * np.pi) - (f + 1) / 2 * np.log1p(a * a / f))
        by_a = density / low
        e = 1e-4 * f
        by_f = ((stdtr(f - 2 * e, a) - 8 * stdtr(f - e, a) + 8 * stdtr(f + e, a) - stdtr(f + 2 * e, a)) / (12 * e)) / low
        by_q = by_q - by_a * a / (2 * (nu + q))
        by_nu += by_f.sum() + (by_a * a / 2 * (1 / f - 1 / (nu + q))).sum()
        by_z = 2 * by_q[:, None] * z
        by_p = by_z.T @ y
        by_w = by_a * g
        diagonal = by_p[np.arange(d), np.arange(d)] * np.diag(p) + self.n
        gradient = np.concatenate([-p.T @ by_z.sum(axis=0) - eta * by_w.sum(), diagonal, by_p[self.lower], y.T @ by_w, [by_nu * nu]])
        return value, gradient

    def climb(self, v):
        """The maximum that a start leads to, or None if the slant or nu go to infinity, or the scale to 0."""
        value = -np.inf
        for _ in range(5):
            r = minimize(lambda v: tuple(-e for e in self.both(v)), v, jac=True, method="L-BFGS-B",
                         options={"maxiter": 400, "maxfun": 1000, "ftol": 1e-15, "gtol": 1e-8, "maxcor": 40})
            v = r.x
            if not self.sound(v) or self.separated(v):
                return None
            if -r.fun - value < 1e-9:
                break
            value = -r.fun
        gradient = self.both(v)[1]
        if np.abs(gradient).max() > 1e-2:
            return None
        return -r.fun, v

    def separated(self, v):
        xi, _, eta, _ = self.unpack(v)
        return ((self.x - xi) @ eta).min() > 0

    def sound(self, v):
        xi, p, eta, nu = self.unpack(v)
        slant = np.linalg.norm(solve_triangular(p, np.eye(self.d), lower=True).T @ eta)
        return np.isfinite(v).all() and slant < 1e3 and 0.1 < nu < 1e4 and np.linalg.svd(p, compute_uv=False)[0] < 1e3

    # At infinity: the t distribution with twice the density on one side of a hyperplane.

    def behind(self, u, h):
        """The best log-likelihood with u'xi >= h, for an outward unit vector u of a supporting hyperplane."""
        d = self.d
        basis = np.linalg.svd(u[None, :])[2][1:]

        def f(v):
            over = np.exp(v[-1])
            xi = (h + over) * u + v[: d - 1] @ basis
            p = np.zeros((d, d))
            p[np.arange(d), np.arange(d)] = np.exp(v[d - 1 : 2 * d - 1])
            p[self.lower] = v[2 * d - 1 : 2 * d - 1 + self.m]
            nu = np.exp(v[-2])
            if not 0.1 < nu < 1e7 or np.abs(v[d - 1 : 2 * d - 1]).max() > 7:
                return np.inf, np.zeros_like(v)
            value, y, z, q, by_q, by_nu = self.symmetric(xi, p, nu)
            by_z = 2 * by_q[:, None] * z
            by_p = by_z.T @ y
            by_xi = -p.T @ by_z.sum(axis=0)
            g = np.concatenate([basis @ by_xi, by_p[np.arange(d), np.arange(d)] * np.diag(p) + self.n, by_p[self.lower],
                                [by_nu * nu, (by_xi @ u) * over]])
            return -value - self.n * np.log(2), -g

        best = -np.inf
        for nu in (3.0, 30.0):
            # The t distribution about a point of the hyperplane, spread as the data are from there.
            p = solve_triangular(cholesky(np.eye(d) + h * h * np.outer(u, u), lower=True), np.eye(d), lower=True)
            v = np.concatenate([np.zeros(d - 1), np.log(np.diag(p)), p[self.lower], [np.log(nu), -3.0]])
            r = minimize(f, v, jac=True, method="L-BFGS-B", options={"maxiter": 500, "maxfun": 1000, "ftol": 1e-13, "gtol": 1e-6})
            best = max(best, -r.fun)
        return best


# One case


def skewness(x):
    """Mardia's vector of skewness of whitened data, and the sums of cubes of the entries."""
    return [np.einsum("ij,ij,ik->k", x, x, x), (x**3).sum(axis=0)]


def unique(ends, new):
    for e in ends:
        if abs(e["log_likelihood"] - new["log_likelihood"]) < 1e-5:
            e["hits"] += 1
            return
    ends.append(new)


def normal(case, white, found, u, h, exact, random):
    x = white.x
    n, d = x.shape
    m = SkewNormal(x)
    starts = [np.concatenate([white.point(e["xi"]), white.slant(e["eta"])]) for e in found["ends"]]
    theirs = len(starts)
    axes = list(np.eye(d)) + [s for s in skewness(x) if np.linalg.norm(s) > 0]
    for a in axes:
        for length in (1.5, 6):
            starts += [m.moments(a, length), m.moments(-a, length)]
    for v, far in zip(u[:8], h[:8]):
        starts.append(np.concatenate([0.9 * far * v, -20 * v]))
    for _ in range(case["random"]):
        starts.append(m.moments(random.standard_normal(d), np.exp(random.uniform(0, 3))))
    ends, infinite, by_theirs = [], 0, -np.inf
    for i, v in enumerate(starts):
        try:
            end = m.climb(v)
        except (np.linalg.LinAlgError, ValueError):
            end = None
        if end is None:
            infinite += 1
            continue
        value, v = end
        if i < theirs:
            by_theirs = max(by_theirs, value + white.loss)
        unique(ends, {"log_likelihood": value + white.loss, "slant": profile_slant(v, d), "hits": 1, "v": v})
    ends.sort(key=lambda e: -e["log_likelihood"])
    supremum = n * (np.log(2) - 0.5 * (d * LOG2PIE + np.log1p(h[0] ** 2))) + white.loss
    return {
        "sn": call(found), "sn_best": best(found), "finite": strip(ends)[:8], "elsewhere": infinite, "starts": len(starts),
        "infinity": supremum, "distance": h[0], "exact": exact,
    }, ends


def profile_slant(v, d):
    """The length of the slant in units of the scale matrix."""
    xi, eta = v[:d], v[d:]
    return float(np.sqrt(eta @ eta + (xi @ eta) ** 2))


def student(case, white, found, normal_ends, normal_answer, u, h, random):
    x = white.x
    n, d = x.shape
    m = SkewT(x)
    starts = []
    for e in found["ends"]:
        try:
            omega = np.reshape(e["Omega"], (d, d))
            half = solve_triangular(white.root, omega, lower=True)
            omega = solve_triangular(white.root, half.T, lower=True)
            p = solve_triangular(cholesky((omega + omega.T) / 2, lower=True), np.eye(d), lower=True)
            starts.append(m.pack(white.point(e["xi"]), p, white.slant(e["eta"]), min(e["nu"], 1e3)))
        except np.linalg.LinAlgError:
            pass
    for e in normal_ends[:2]:
        xi, eta = e["v"][:d], e["v"][d:]
        p = solve_triangular(cholesky(np.eye(d) + np.outer(xi, xi), lower=True), np.eye(d), lower=True)
        starts += [m.pack(xi, p, eta, nu) for nu in (4.0, 30.0)]
    directions = skewness(x) + [random.standard_normal(d) for _ in range(case["random_t"])]
    for i, a in enumerate(directions):
        if np.linalg.norm(a) == 0:
            continue
        for sign in (1, -1) if i < 2 else (1,):
            v = SkewNormal(x).moments(sign * a, 2.0)
            xi, eta = 0.7 * v[:d], v[d:]
            starts.append(m.pack(xi, 1.2 * np.eye(d), eta, (4.0, 1.5, 10.0)[i % 3]))
    ends, elsewhere = [], 0
    for v in starts:
        try:
            end = m.climb(v)
        except (np.linalg.LinAlgError, ValueError):
            end = None
        if end is None:
            elsewhere += 1
            continue
        value, v = end
        xi, p, eta, nu = m.unpack(v)
        slant = float(np.linalg.norm(solve_triangular(p, np.eye(d), lower=True).T @ eta))
        unique(ends, {"log_likelihood": value + white.loss, "slant": slant, "nu": nu, "hits": 1})
    ends.sort(key=lambda e: -e["log_likelihood"])
    limit = max(m.behind(v, far) for v, far in zip(u[:3], h[:3])) + white.loss
    normal_limit = max([normal_answer["infinity"]] + [e["log_likelihood"] for e in normal_answer["finite"]])
    return {
        "sn": call(found), "sn_best": best(found), "finite": ends[:8], "elsewhere": elsewhere, "starts": len(starts),
        "infinity": max(limit, normal_answer["infinity"]), "normal": normal_limit,
    }


def strip(ends):
    return [{k: v for k, v in e.items() if k != "v"} for e in ends]


def call(found):
    return {"log_likelihood": found["default"] if isinstance(found["default"], float) else None, "seconds": found["seconds"],
            "restart_seconds": found["restart_seconds"]}


def best(found):
    return max((e["log_likelihood"] for e in found["ends"]), default=None)


def search(case, found):
    raw = np.loadtxt(case["file"], delimiter=",", skiprows=1, ndmin=2)
    white = Whitened(raw)
    n, d = raw.shape
    random = np.random.default_rng(1)
    u, h, exact = facets(white.x, random)
    a, ends = normal(case, white, found["normal"], u, h, exact, random)
    b = student(case, white, found["t"], ends, a, u, h, random)
    return {"name": case["name"], "n": n, "d": d, "sha256": case["sha256"], "normal": a, "t": b}


def main():
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    with open(sys.argv[1]) as f:
        cases = json.load(f)
    with open(sys.argv[2]) as f:
        sn = json.load(f)
    answers = []
    for case, found in zip(cases, sn["answers"], strict=True):
        start = time.time()
        a = search(case, found)
        answers.append(a)
        for key in ("normal", "t"):
            top = a[key]["finite"][:1]
            print(case["name"], key, "finite", top and "%.6f" % top[0]["log_likelihood"], "infinity %.6f" % a[key]["infinity"],
                  "sn", a[key]["sn_best"], "%.1f s" % (time.time() - start), file=sys.stderr)
    versions = {"Python": platform.python_version(), "scipy": scipy.__version__, "numpy": np.__version__, **sn["versions"]}
    with open(sys.argv[3], "w") as f:
        json.dump({"versions": versions, "answers": answers}, f)


main()
