"""Steps of SNGD by automatic differentiation: JAX, compiled, one thread, float64.

    python steps.py FOLDER

reads task.json of a folder and the arrays that it names (raw little-endian float64), makes the steps of So and Turner (2024, algorithm 1)
with the same minibatches or draws as generated code, and prints the time of a step and the loss at the end as JSON. All steps are one
compiled loop (lax.scan), so that nothing is paid for calls from Python; its first run compiles and is not timed, and of the others the least
counts.
"""
import json
import os
import sys
import time

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

import jax  # noqa: E402

jax.config.update("jax_enable_x64", True)

import jax.numpy as jnp  # noqa: E402
import jax.scipy as jsp  # noqa: E402
import numpy as np  # noqa: E402
import tensorflow_probability.substrates.jax as tfp  # noqa: E402

LOG_2PI = float(np.log(2 * np.pi))


def symmetric(a):
    """The gradient with respect to a symmetric matrix is symmetric too."""
    return (a + jnp.swapaxes(a, -1, -2)) / 2


# The surrogates: a normal distribution, one with mean 0, and a mixture of normals. Each has its standard parameters as functions of mean and
# of natural parameters, and both as functions of the standard ones.
class Normal:
    @staticmethod
    def standard_of_mean(m):
        return m[0], symmetric(m[1]) - jnp.outer(m[0], m[0])

    @staticmethod
    def standard_of_natural(e):
        sigma = jnp.linalg.inv(-2 * symmetric(e[1]))
        return sigma @ e[0], sigma

    @staticmethod
    def mean_of_standard(s):
        return s[0], s[1] + jnp.outer(s[0], s[0])

    @staticmethod
    def natural_of_standard(s):
        precision = jnp.linalg.inv(s[1])
        return precision @ s[0], -precision / 2


class ZeroMean:
    @staticmethod
    def standard_of_mean(m):
        return (symmetric(m[0]),)

    @staticmethod
    def standard_of_natural(e):
        return (jnp.linalg.inv(-2 * symmetric(e[0])),)

    @staticmethod
    def mean_of_standard(s):
        return s

    @staticmethod
    def natural_of_standard(s):
        return (-jnp.linalg.inv(s[0]) / 2,)


class Mixture:
    """The mixture model is an exponential family (table 3 of the paper); A is the log-partition of a component."""

    @staticmethod
    def partition(mu, sigma):
        return (jnp.einsum("ki,ki->k", mu, jnp.linalg.solve(sigma, mu[..., None])[..., 0]) + jnp.linalg.slogdet(sigma)[1]
                + mu.shape[1] * LOG_2PI) / 2

    @staticmethod
    def standard_of_mean(m):
        pi = jnp.append(m[0], 1 - m[0].sum())
        mu = m[1] / pi[:, None]
        return pi, mu, symmetric(m[2]) / pi[:, None, None] - jnp.einsum("ki,kj->kij", mu, mu)

    @staticmethod
    def standard_of_natural(e):
        sigma = jnp.linalg.inv(-2 * symmetric(e[2]))
        mu = jnp.einsum("kij,kj->ki", sigma, e[1])
        logits = jnp.append(e[0], 0.0) + Mixture.partition(mu, sigma)
        return jax.nn.softmax(logits), mu, sigma

    @staticmethod
    def mean_of_standard(s):
        pi, mu, sigma = s
        return pi[:-1], pi[:, None] * mu, pi[:, None, None] * (sigma + jnp.einsum("ki,kj->kij", mu, mu))

    @staticmethod
    def natural_of_standard(s):
        pi, mu, sigma = s
        precision = jnp.linalg.inv(sigma)
        odds = jnp.log(pi) - Mixture.partition(mu, sigma)
        return odds[:-1] - odds[-1], jnp.einsum("kij,kj->ki", precision, mu), -precision / 2


# The targets.
def student_log_cdf(t, nu):
    return jnp.log(tfp.distributions.StudentT(nu, jnp.zeros(()), jnp.ones(())).cdf(t))


def student_quantile(u, nu):
    x = tfp.math.betaincinv(nu / 2, jnp.full((), 0.5), 2 * jnp.minimum(u, 1 - u))
    return jnp.sign(u - 0.5) * jnp.sqrt(nu * (1 - x) / x)


def forms(x, chol):
    w = jsp.linalg.solve_triangular(chol, x.T, lower=True)
    return (w * w).sum(0)


def normal_log_density(x, mu, chol):
    return -(forms(x - mu, chol) + x.shape[1] * LOG_2PI) / 2 - jnp.log(jnp.diagonal(chol)).sum()


def student_log_density(q, chol, d, nu):
    return (jsp.special.gammaln((nu + d) / 2) - jsp.special.gammaln(nu / 2) - d * jnp.log(nu * jnp.pi) / 2
            - jnp.log(jnp.diagonal(chol)).sum() - (nu + d) / 2 * jnp.log1p(q / nu))


def skew_normal(x, mu, sigma, eta):
    chol = jnp.linalg.cholesky(sigma)
    return jnp.log(2) + normal_log_density(x, mu, chol) + jsp.special.log_ndtr((x - mu) @ eta)


def skew_t(x, mu, sigma, eta, nu):
    d, chol = x.shape[1], jnp.linalg.cholesky(sigma)
    q = forms(x - mu, chol)
    t = ((x - mu) @ eta) * jnp.sqrt((nu + d) / (nu + q))
    return jnp.log(2) + student_log_density(q, chol, d, nu) + student_log_cdf(t, nu + d)


def t_copula(u, sigma, nu):
    sd = jnp.sqrt(jnp.diagonal(sigma))
    chol = jnp.linalg.cholesky(sigma / jnp.outer(sd, sd))
    z = student_quantile(u, nu)
    single = tfp.distributions.StudentT(nu, jnp.zeros(()), jnp.ones(())).log_prob(z)
    return student_log_density(forms(z, chol), chol, u.shape[1], nu) - single.sum(1)


def skew_draws(sigma, eta, w, e):
    """Deviations from the location; the root of sigma is that of its inverse, as that is at hand in natural parameters."""
    r = jnp.sqrt(1 + eta @ sigma @ eta)
    u = jsp.linalg.solve_triangular(jnp.linalg.cholesky(jnp.linalg.inv(sigma)).T, e.T, lower=False).T
    return u + jnp.outer(jnp.abs(w) - u @ eta / (1 + r), sigma @ eta / r)


def log_likelihood(z, X, y):
    return jax.nn.log_sigmoid((z @ X.T) * (2 * y - 1)).sum(1)


def log_prior(mu, sigma, eta, b, spread):
    """The expectation of -z'z/2 for z with the mean mu + b beta and the covariance spread sigma - b^2 beta beta'."""
    beta = sigma @ eta / jnp.sqrt(1 + eta @ sigma @ eta)
    mean = mu + b * beta
    return -(mean @ mean + spread * jnp.trace(sigma) - b * b * (beta @ beta)) / 2


# The objectives: of the standard parameters of the surrogate, the auxiliary parameters, and a batch.
def skewnormal(s, a, x):
    return -skew_normal(x, s[0], s[1], a["eta"]).mean()


def skewt(s, a, x):
    return -skew_t(x, s[0], s[1], a["eta"], 2 + jnp.exp(a["lognu"])).mean()


def tcopula(s, a, u):
    return -t_copula(u, s[0], 2 + jnp.exp(a["lognu"])).mean()


# Of posteriors, what has a known expectation is not left to draws, as in generated code: the quadratic prior and most of the entropy.
def posteriorskew(s, a, batch):
    (mu, sigma), eta, d = s, a["eta"], s[0].shape[0]
    z = skew_draws(sigma, eta, batch["w"], batch["e"])
    known = jnp.log(2) - d * (LOG_2PI + 1) / 2 - jnp.linalg.slogdet(sigma)[1] / 2
    drawn = jsp.special.log_ndtr(z @ eta) - log_likelihood(mu + z, batch["X"], batch["y"])
    return drawn.mean() + known - log_prior(mu, sigma, eta, jnp.sqrt(2 / jnp.pi), 1.0)


def posteriorskewt_of(s, a, batch, g, nu):
    (mu, sigma), eta, d = s, a["eta"], s[0].shape[0]
    z = jnp.sqrt(nu / (2 * g))[:, None] * skew_draws(sigma, eta, batch["w"], batch["e"])
    q = jnp.einsum("si,si->s", z, jnp.linalg.solve(sigma, z.T).T)
    known = (jnp.log(2) - d * jnp.log(jnp.pi * nu) / 2 - jnp.linalg.slogdet(sigma)[1] / 2 + jsp.special.gammaln((nu + d) / 2)
             - jsp.special.gammaln(nu / 2) - (nu + d) / 2 * (jsp.special.digamma((nu + d) / 2) - jsp.special.digamma(nu / 2)))
    drawn = student_log_cdf((z @ eta) * jnp.sqrt((nu + d) / (nu + q)), nu + d) - log_likelihood(mu + z, batch["X"], batch["y"])
    b = jnp.sqrt(nu / jnp.pi) * jnp.exp(jsp.special.gammaln(nu / 2 - 0.5) - jsp.special.gammaln(nu / 2))
    return drawn.mean() + known - log_prior(mu, sigma, eta, b, nu / (nu - 2))


def posteriorskewt(s, a, batch):
    nu = 2 + jnp.exp(a["lognu"])
    return posteriorskewt_of(s, a, batch, tfp.math.igammainv(nu / 2, batch["g"]), nu)


def posteriorskewt_sampler(s, a, batch):
    """The same by JAX's own sampler of gamma numbers, which needs no quantile function; its draws are others."""
    nu = 2 + jnp.exp(a["lognu"])
    g = jax.random.gamma(jax.random.key((batch["g"][0] * 1e9).astype(int)), nu / 2, batch["g"].shape)
    return posteriorskewt_of(s, a, batch, g, nu)


def logisticskewmix(s, a, batch):
    pi, mu, sigma = s
    k, d = mu.shape
    w, e = batch["w"].reshape(k, -1), batch["e"].reshape(k, -1, d)
    z = mu[:, None] + jax.vmap(skew_draws)(sigma, a["eta"], w, e)
    flat = z.reshape(-1, d)
    log_q = jsp.special.logsumexp(jnp.log(pi)[:, None] + jax.vmap(lambda *c: skew_normal(flat, *c))(mu, sigma, a["eta"]), axis=0)
    drawn = log_q - log_likelihood(flat, batch["X"], batch["y"])
    prior = jax.vmap(lambda *c: log_prior(*c, jnp.sqrt(2 / jnp.pi), 1.0))(mu, sigma, a["eta"])
    return (pi * (drawn.reshape(k, -1).mean(1) - prior)).sum()


TASKS = {"skewnormal": (skewnormal, Normal, "mean"), "skewt": (skewt, Normal, "mean"), "tcopula": (tcopula, ZeroMean, "mean"),
         "posteriorskew": (posteriorskew, Normal, "natural"), "posteriorskewt": (posteriorskewt, Normal, "natural"),
         "posteriorskewt_sampler": (posteriorskewt_sampler, Normal, "natural"),
         "logisticskewmix": (logisticskewmix, Mixture, "natural")}


def main(folder):
    with open(os.path.join(folder, "task.json"), encoding="utf-8") as f:
        task = json.load(f)
    arrays = {name: jnp.asarray(np.fromfile(os.path.join(folder, name), "<f8").reshape(shape)) for name, shape in task["arrays"].items()}
    objective, family, coordinates = TASKS[task["name"]]
    if coordinates == "mean":
        standard, dual, of_dual = family.standard_of_mean, family.natural_of_standard, family.standard_of_natural
    else:
        standard, dual, of_dual = family.standard_of_natural, family.mean_of_standard, family.standard_of_mean
    z = tuple(arrays[f"z{i}"] for i in range(sum(name[0] == "z" and name[1:].isdigit() for name in arrays)))
    a = {name: arrays[name].reshape(task["auxiliary"][name]) for name in task["auxiliary"]}
    fixed = {name: arrays[name] for name in ("X", "y") if name in arrays}
    noise = {name: arrays[name] for name in ("w", "e", "g") if name in arrays}

    def batch_of(index):
        if "batches" in arrays:
            return arrays["rows"][index]
        return {**fixed, **index}

    each = arrays["batches"].astype(int) if "batches" in arrays else noise

    def step(state, index):
        z, a, m, s, t = state
        batch = batch_of(index)
        # The natural gradient is the gradient with respect to the dual coordinates, at the point; auxiliary parameters take Adam's steps.
        v, g = jax.grad(lambda e, a: objective(of_dual(e), a, batch), (0, 1))(dual(standard(z)), a)
        z = jax.tree.map(lambda x, d: x - task["step"] * d, z, v)
        t = t + 1
        m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, m, g)
        s = jax.tree.map(lambda s, g: 0.999 * s + 0.001 * g * g, s, g)
        a = jax.tree.map(lambda a, m, s: a - task["rate"] / (1 - 0.9**t) * m / (jnp.sqrt(s / (1 - 0.999**t)) + 1e-8), a, m, s)
        return (z, a, m, s, t), None

    zero = jax.tree.map(jnp.zeros_like, a)
    start = (z, a, zero, zero, jnp.zeros(()))
    run = jax.jit(lambda state, each: jax.lax.scan(step, state, each)[0])
    began = time.perf_counter()
    end = jax.block_until_ready(run(start, each))
    compiling = time.perf_counter() - began
    least = min(timed(run, start, each) for _ in range(task["rounds"]))
    judge = arrays["rows"] if "rows" in arrays else {**fixed, **{name: x[0] for name, x in noise.items()}}
    loss = objective(standard(end[0]), end[1], judge)
    print(json.dumps({"seconds": least / task["steps"], "loss": float(loss), "compiling": compiling - least, "jax": jax.__version__,
                      "tfp": tfp.__version__}))


def timed(run, *args):
    began = time.process_time()
    jax.block_until_ready(run(*args))
    return time.process_time() - began


if __name__ == "__main__":
    main(sys.argv[1])
