"""Searches mixtures of normals for their best optima: scikit-learn's default call, timed, then scikit-learn with many
starts, and what mclust.R found. The best ends are followed by EM with extrapolation until they stand.

    python search.py CASES.json MCLUST.json OUT.json

Log-likelihoods are sums over the rows. For every end the answer has the smallest eigenvalue of a component's covariance
in units of that of all rows, and the smallest number of rows of a component (sum of responsibilities): what counts as
collapsed is decided by who reads it. Ends with an eigenvalue below 1e-12 are not followed. The answer also has the smallest
variance of a component along any direction in units of what rounding to the decimals of the file adds there, and the
fewest rows of a component with an eigenvalue below 1e-6, 0 if there is none.
"""

import json
import platform
import sys
import time
import warnings
from decimal import Decimal

import numpy as np
import scipy
import sklearn
from scipy.linalg import cholesky, solve_triangular
from sklearn.mixture import GaussianMixture

COLLAPSED = 1e-12
NARROW = 1e-6


class Collapse(Exception):
    pass


class Mixture:
    """Weights, means and lower Cholesky factors of covariances, as one vector for extrapolation."""

    def __init__(self, weights, means, roots):
        self.weights, self.means, self.roots = weights, means, roots

    def vector(self):
        k, d, _ = self.roots.shape
        diagonal = np.einsum("kii->ki", self.roots)
        lower = self.roots[:, *np.tril_indices(d, -1)]
        return np.concatenate([np.log(self.weights), self.means.ravel(), np.log(diagonal).ravel(), lower.ravel()])

    @staticmethod
    def of(vector, k, d):
        weights = np.exp(vector[:k] - vector[:k].max())
        weights /= weights.sum()
        means = vector[k : k + k * d].reshape(k, d)
        roots = np.zeros((k, d, d))
        i = np.arange(d)
        roots[:, i, i] = np.exp(vector[k + k * d : k + 2 * k * d].reshape(k, d))
        roots[:, *np.tril_indices(d, -1)] = vector[k + 2 * k * d :].reshape(k, -1)
        return Mixture(weights, means, roots)

    def em(self, x):
        """One step of EM, and the log-likelihood before it."""
        n, d = x.shape
        k = len(self.weights)
        log = np.empty((n, k))
        for j in range(k):
            z = solve_triangular(self.roots[j], (x - self.means[j]).T, lower=True, check_finite=False)
            log[:, j] = np.log(self.weights[j]) - 0.5 * np.einsum("ij,ij->j", z, z) - np.log(np.diag(self.roots[j])).sum()
        top = log.max(axis=1)
        r = np.exp(log - top[:, None])
        total = r.sum(axis=1)
        r /= total[:, None]
        total = top + np.log(total)
        size = r.sum(axis=0)
        if not np.isfinite(total).all() or size.min() < 1e-3:
            raise Collapse
        means = (r.T @ x) / size[:, None]
        roots = np.empty_like(self.roots)
        for j in range(k):
            y = x - means[j]
            try:
                roots[j] = cholesky((r[:, j, None] * y).T @ y / size[j], lower=True, check_finite=False)
            except np.linalg.LinAlgError:
                raise Collapse from None
            if np.linalg.svd(roots[j], compute_uv=False)[-1] ** 2 < COLLAPSED:
                raise Collapse
        self.size = size
        return Mixture(size / n, means, roots), total.sum() - 0.5 * n * d * np.log(2 * np.pi)


def follow(start, x, limit):
    """EM with the extrapolation of Varadhan and Roland (2008), scheme S3, until a step changes nothing."""
    k, d = start.means.shape
    now, value = start, -np.inf
    for _ in range(limit):
        first, before = now.em(x)
        second, middle = first.em(x)
        a, b, c = now.vector(), first.vector(), second.vector()
        r, v = b - a, c - 2 * b + a
        if np.abs(r).max() < 1e-9 or (middle - before < 1e-11 * (1 + abs(before)) and np.abs(r).max() < 1e-7):
            return first, middle
        best = second
        if np.linalg.norm(v) > 0:
            alpha = max(np.linalg.norm(r) / np.linalg.norm(v), 1)
            try:
                far, reached = Mixture.of(a + 2 * alpha * r + alpha**2 * v, k, d).em(x)
                if reached >= middle:
                    best = far
            except (Collapse, FloatingPointError):
                pass
        now, value = best, middle
    return now, now.em(x)[1]


class Whitened:
    """Rows in coordinates in which mean and covariance are 0 and 1; loss is what log-likelihoods lose by it."""

    def __init__(self, x):
        self.mean = x.mean(axis=0)
        self.root = cholesky(np.cov(x.T, bias=True).reshape(x.shape[1], -1), lower=True)
        self.x = self.solve((x - self.mean).T).T
        self.loss = -len(x) * np.log(np.diag(self.root)).sum()

    def solve(self, b):
        return solve_triangular(self.root, b, lower=True)

    def mixture(self, weights, means, covariances):
        """The mixture in these coordinates, from one in those of the data."""
        k, d = np.shape(covariances)[:2]
        roots = np.array([self.solve(cholesky(c, lower=True)) for c in np.reshape(covariances, (k, d, d))])
        return Mixture(np.atleast_1d(weights).astype(float), self.solve((np.reshape(means, (k, d)) - self.mean).T).T, roots)


def restarts(x, k, starts):
    """Ends of scikit-learn from several kinds of starts, without regularisation, on the scale of x."""
    kinds = ["kmeans", "k-means++", "random_from_data"]
    for i in range(starts):
        g = GaussianMixture(k, reg_covar=0, tol=1e-5, max_iter=300, init_params=kinds[i % len(kinds)], random_state=i)
        try:
            yield g.fit(x)
        except ValueError:  # a component has collapsed
            yield None


def describe(end, value, shift, by, white, steps):
    end.em(white.x)
    eigenvalues = np.array([np.linalg.svd(r, compute_uv=False)[-1] ** 2 for r in end.roots])
    narrow = end.size[eigenvalues < NARROW]
    resolution = min(np.linalg.svd((white.root @ r) / steps[:, None], compute_uv=False)[-1] ** 2 * 12 for r in end.roots)
    return {"log_likelihood": value + shift, "eigenvalue": eigenvalues.min(), "resolution": resolution, "rows": end.size.min(),
            "narrow": narrow.min() if len(narrow) else 0, "by": [by], "hits": 1}


def table(file, columns):
    """The columns, and the step of each by its decimals."""
    with open(file) as f:
        header = f.readline().strip().split(",")
        text = np.loadtxt(f, delimiter=",", ndmin=2, dtype=str)
    text = text[:, [header.index(c) for c in columns]]
    x = text.astype(float)
    steps = [10.0 ** -max(decimals(v) for v in column) for column in x.T]
    return x, np.array(steps)


def decimals(x):
    return max(-Decimal(repr(float(x))).normalize().as_tuple().exponent, 0)


def default_call(x, k):
    """The log-likelihood and processor time of scikit-learn's default call, the least of three, and its end."""
    fit, seconds = None, np.inf
    for _ in range(3 if len(x) < 10_000 else 1):
        clock = time.process_time()
        try:
            fit = GaussianMixture(k, random_state=0).fit(x)
        except ValueError:
            pass
        seconds = min(seconds, time.process_time() - clock)
    return (fit.score(x) * len(x) if fit else None), seconds, fit


def search(case, mclust):
    raw, steps = table(case["file"], case["columns"])
    k = case["k"]
    n, d = raw.shape
    white = Whitened(raw)
    x = white.x
    default, seconds, fit = default_call(raw, k)

    ends, failed = [], 0

    def add(by, weights, means, covariances):
        nonlocal failed
        try:
            m = white.mixture(weights, means, covariances)
            ends.append((m.em(x)[1], by, m))
        except (Collapse, np.linalg.LinAlgError):
            failed += 1

    for s in filter(None, mclust["solutions"]):
        add(s["by"], s["weights"], s["mean"], s["covariance"])
    if fit:
        add("scikit-learn, default", fit.weights_, fit.means_, fit.covariances_)
    clock = time.process_time()
    starts = case["starts"] if k > 1 else 1
    scale = raw.std(axis=0)
    for g in restarts(raw / scale, k, starts):
        if g:
            add("scikit-learn, restarts", g.weights_, g.means_ * scale, g.covariances_ * np.outer(scale, scale))
        else:
            failed += 1
    ends.sort(key=lambda e: -e[0])

    solutions, seen, followed = [], [], 0
    for value, by, m in ends:
        if len(solutions) >= case["keep"] or followed >= 2 * case["keep"]:
            break
        if any(abs(value - s) < 1e-5 for s in seen):
            continue
        seen.append(value)
        followed += 1
        try:
            new = describe(*follow(m, x, case["limit"]), white.loss, by, white, steps)
        except Collapse:
            failed += 1
            continue
        for old in solutions:
            if abs(old["log_likelihood"] - new["log_likelihood"]) < 1e-6:
                old["hits"] += 1
                if by not in old["by"]:
                    old["by"].append(by)
                break
        else:
            solutions.append(new)
    solutions.sort(key=lambda s: -s["log_likelihood"])
    return {
        "name": case["name"], "k": k, "n": n, "d": d, "sha256": case["sha256"],
        "sklearn": {"log_likelihood": default, "seconds": seconds},
        "mclust": {"log_likelihood": mclust["default"], "seconds": mclust["seconds"]},
        "restarts": len(mclust["solutions"]) + starts, "collapsed": failed,
        "restart_seconds": time.process_time() - clock + mclust["restart_seconds"],
        "solutions": solutions,
    }


def main():
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    with open(sys.argv[1]) as f:
        cases = json.load(f)
    with open(sys.argv[2]) as f:
        mclust = json.load(f)
    answers = []
    for case in cases:
        start = time.time()
        (theirs,) = [m for m in mclust["answers"] if (m["name"], m["k"]) == (case["name"], case["k"])]
        answers.append(search(case, theirs))
        best = answers[-1]["solutions"][:1]
        print(case["name"], "k=%d" % case["k"], best and "%.6f" % best[0]["log_likelihood"], "%.1f s" % (time.time() - start), file=sys.stderr)
    versions = {"Python": platform.python_version(), "scikit-learn": sklearn.__version__, "scipy": scipy.__version__,
                "numpy": np.__version__, **mclust["versions"]}
    with open(sys.argv[3], "w") as f:
        json.dump({"versions": versions, "answers": answers}, f)


main()
