"""Independent answers about models whose posteriors are fitted by expectation propagation:

    python oracle.py POSTERIORS ORACLE.json [--ep | --nuts] [MODEL ...]

POSTERIORS is the folder with the data of tests/rivals/posteriors. With --ep the answers are those of expectation propagation as it
stands in the books (Rasmussen and Williams 2006, Gaussian processes for machine learning, section 3.6; Minka 2004, Power EP), with
dense matrices, all sites in parallel, and tilted moments by Gauss and Legendre's rule: slow and obvious. Its models are those of the
library. With --nuts they are the moments of the posteriors by NumPyro's NUTS, of the specs in this folder.
"""

import csv
import json
import os
import sys

import numpy as np
from scipy import special, stats


def read(folder, name):
    with open(os.path.join(folder, "testdata", name + ".csv")) as f:
        rows = list(csv.DictReader(f))
    columns = {}
    for key in rows[0]:
        columns.setdefault(key.rstrip("0123456789"), []).append([float(r[key]) for r in rows])
    return {k: np.array(v).T if k not in ("y",) else np.array(v[0]) for k, v in columns.items()}


# The factors of the library's models: the logarithm of the likelihood of a row, given its predictor.

T4 = stats.t.logpdf(0.0, 4)
FACTORS = {
    "logisticep": lambda y: lambda s: -np.logaddexp(0.0, -(2 * y - 1) * s),
    "probit": lambda y: lambda s: special.log_ndtr((2 * y - 1) * s),
    "poissonep": lambda y: lambda s: y * s - np.exp(s) - special.gammaln(y + 1),
    "robustep": lambda y: lambda s: T4 - 2.5 * np.log1p((y - s) ** 2 / 4),
}

# Model, data, what the coefficients are multiplied with, and the precision of the prior. The last is a Gaussian process.
EP_CASES = {
    "logistic": ("logisticep", "logistic", "X", 1.0, 1.0),
    "probit": ("probit", "logistic", "X", 1.0, 1.0),
    "poisson": ("poissonep", "poisson", "X", 1.0, 1.0),
    "robust": ("robustep", "robust", "X", 1.0, 0.01),
    "process": ("logisticep", "gaussianprocess", "L", 2.0, 1.0),
}


NODES, WEIGHTS = np.polynomial.legendre.leggauss(40)


def tilted(h, power, m, v):
    """Logarithm of the integral, mean and variance of N(s; m, v) exp(power h(s)): Gauss and Legendre's rule on 30 panels."""
    log = lambda s: power * h(s) - (s - m) ** 2 / (2 * v) - np.log(2 * np.pi * v) / 2
    grid = m + np.sqrt(v) * np.linspace(-14, 14, 2001)
    values = log(grid)
    inside = grid[values > values.max() - 45]
    edges = np.linspace(inside[0], inside[-1], 31)
    half = (edges[1] - edges[0]) / 2
    s = (edges[:-1, None] + half + half * NODES).ravel()
    values = log(s)
    top = values.max()
    p = half * np.tile(WEIGHTS, 30) * np.exp(values - top)
    z = p.sum()
    mean = m + p @ (s - m) / z
    return np.log(z) + top, mean, p @ (s - mean) ** 2 / z


def propagate(A, factors, precision, power, tolerance=1e-9, damping=0.7):
    n, d = A.shape
    r, q = np.zeros(n), np.zeros(n)
    prior = precision * np.eye(d)
    for sweep in range(500):
        Lambda = prior + A.T @ (q[:, None] * A)
        C = np.linalg.inv(Lambda)
        mean = C @ (A.T @ r)
        mu, var = A @ mean, np.einsum("ij,jk,ik->i", A, C, A)
        tau, nu = 1 / var - power * q, mu / var - power * r
        logs, r2, q2, off = np.empty(n), np.empty(n), np.empty(n), 0.0
        for i in range(n):
            logs[i], m, v = tilted(factors[i], power, nu[i] / tau[i], 1 / tau[i])
            q2[i], r2[i] = (1 / v - tau[i]) / power, (m / v - nu[i]) / power
            off = max(off, abs(m - mu[i]) / np.sqrt(var[i]), abs(v / var[i] - 1))
        if off < tolerance:
            break
        r, q = r + damping * (r2 - r), q + damping * (q2 - q)
    # Zhat of a tilted distribution over that of the cavity with the site in place of the factor
    own = 0.5 * (np.log(tau * var) + mu**2 / var - nu**2 / tau)
    evidence = (d * np.log(precision) - np.linalg.slogdet(Lambda)[1] + (A.T @ r) @ mean) / 2 + ((logs - own) / power).sum()
    return mean, C, evidence, sweep


def by_propagation(folder, names):
    out = []
    for name in names:
        model, data, column, scale, precision = EP_CASES[name]
        columns = read(folder, data)
        A = scale * columns[column]
        factors = [FACTORS[model](y) for y in columns["y"]]
        for power in 1.0, 0.5:
            mean, C, evidence, sweeps = propagate(A, factors, precision, power)
            out.append({"case": name, "model": model, "data": data, "scale": scale, "power": power, "mean": mean.tolist(),
                        "sd": np.sqrt(np.diag(C)).tolist(), "log_evidence": evidence, "sweeps": sweeps})
            print(name, power, evidence, sweeps, file=sys.stderr)
    return out


# The posteriors of the specs, by NUTS.


def by_sampling(folder, names):
    import jax
    import numpyro
    import numpyro.distributions as dist
    from numpyro.diagnostics import summary
    from numpyro.infer import MCMC, NUTS

    numpyro.enable_x64()

    def normal(name, length=None, scale=1.0):
        d = dist.Normal(0.0, scale)
        return numpyro.sample(name, d if length is None else d.expand([length]).to_event(1))

    def probit(X, y):
        eta = normal("alpha", scale=2.5) + X @ normal("beta", X.shape[1])
        numpyro.factor("y", jax.scipy.special.log_ndtr((2 * y - 1) * eta).sum())

    def robust(X, y):
        location = normal("alpha", scale=2.5) + X @ normal("beta", X.shape[1])
        numpyro.sample("y", dist.StudentT(3.0, location, 0.7).to_event(1), obs=y)

    def classification(L, y):
        numpyro.sample("y", dist.Bernoulli(logits=normal("mu", scale=1.5) + 2 * (L @ normal("e", L.shape[1]))).to_event(1), obs=y)

    models = {"probit": (probit, "logistic"), "robust": (robust, "robust"), "classification": (classification, "gaussianprocess")}
    out = []
    for name in names:
        model, data = models[name]
        sampler = MCMC(NUTS(model, target_accept_prob=0.9), num_warmup=1000, num_samples=10000, num_chains=4, chain_method="sequential",
                       progress_bar=False)
        sampler.run(jax.random.PRNGKey(1), **read(folder, data))
        said = summary(sampler.get_samples(group_by_chain=True))
        flat = lambda key: {k: np.asarray(v[key]).tolist() for k, v in said.items()}
        errors = [np.max(1 / np.sqrt(np.asarray(v["n_eff"]))) for v in said.values()]
        rhat = max(float(np.max(v["r_hat"])) for v in said.values())
        out.append({"model": name, "data": data, "mean": flat("mean"), "sd": flat("std"), "largest_error": max(errors), "r_hat": rhat})
        print(name, "largest error of a mean", max(errors), "R-hat", rhat, file=sys.stderr)
    return out


def rounded(x):
    if isinstance(x, float):
        return float(f"{x:.10g}")
    if isinstance(x, list):
        return [rounded(v) for v in x]
    return {k: rounded(v) for k, v in x.items()} if isinstance(x, dict) else x


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    flags = {a for a in sys.argv[1:] if a.startswith("--")}
    folder, path, names = arguments[0], arguments[1], arguments[2:]
    answers = {"versions": {}, "ep": [], "nuts": []}
    if os.path.exists(path):
        with open(path) as f:
            answers = json.load(f)
    import scipy

    answers["versions"] |= {"numpy": np.__version__, "scipy": scipy.__version__}
    if "--nuts" not in flags:
        found = by_propagation(folder, names or list(EP_CASES))
        done = {a["case"] for a in found}
        answers["ep"] = [a for a in answers["ep"] if a["case"] not in done] + found
    if "--ep" not in flags:
        import numpyro

        answers["versions"]["numpyro"] = numpyro.__version__
        found = by_sampling(folder, names or ["probit", "robust", "classification"])
        done = {a["model"] for a in found}
        answers["nuts"] = [a for a in answers["nuts"] if a["model"] not in done] + found
    with open(path, "w") as f:
        json.dump(rounded(answers), f)
        f.write("\n")


if __name__ == "__main__":
    main()
