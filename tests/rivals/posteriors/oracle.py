"""Asks NumPyro for the moments of the posteriors by NUTS, and for the bounds of its AutoMultivariateNormal by SVI:

    python oracle.py TESTDATA ORACLE.json [--svi | --nuts] [MODEL ...]

Models are written over the same unconstrained latent variables as the specs, and densities are normalised in both, so that
bounds and moments are comparable number by number; the log joint density at a few points, which is written too, proves it.
Everything is float64 on one thread. Times are of the processor, and without those of JAX's compilation. Answers are written
model by model into ORACLE.json, in place of those it has; with --svi only bounds are asked for, with --nuts only moments.
"""

import csv
import hashlib
import json
import os
import sys
import time

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
for library in "OMP", "OPENBLAS", "MKL":
    os.environ[library + "_NUM_THREADS"] = "1"
ALL_CORES = os.sched_getaffinity(0)
os.sched_setaffinity(0, {max(ALL_CORES)})  # while JAX counts them: it makes a thread for each

import arviz
import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.infer import MCMC, NUTS, SVI, Trace_ELBO, init_to_median, init_to_uniform
from numpyro.infer.autoguide import AutoMultivariateNormal
from numpyro.infer.util import log_density

numpyro.enable_x64()
jax.devices()
os.sched_setaffinity(0, ALL_CORES)


# The models. A latent variable is sampled in the order in which the spec has it.


def log_of(d):
    """The distribution of the logarithm."""
    return dist.TransformedDistribution(d, dist.transforms.ExpTransform().inv)


def logit_of(d):
    return dist.TransformedDistribution(d, dist.transforms.SigmoidTransform().inv)


def normal(name, length=None, location=0.0, scale=1.0):
    d = dist.Normal(location, scale)
    return numpyro.sample(name, d if length is None else d.expand([length]).to_event(1))


def observe(d, y):
    numpyro.sample("y", d.to_event(y.ndim), obs=y)


def logistic(X, y):
    observe(dist.Bernoulli(logits=normal("alpha", scale=2.5) + X @ normal("beta", X.shape[1])), y)


def poisson(X, y):
    observe(dist.Poisson(jnp.exp(normal("alpha", scale=2.5) + X @ normal("beta", X.shape[1]))), y)


def linearknown(X, y):
    observe(dist.Normal(X @ normal("z", X.shape[1]), 0.8), y)


def linear(X, y):
    location = normal("alpha", scale=2.5) + X @ normal("beta", X.shape[1])
    observe(dist.Normal(location, jnp.exp(numpyro.sample("logsigma", log_of(dist.Exponential(1.0))))), y)


def robust(X, y):
    location = normal("alpha", scale=2.5) + X @ normal("beta", X.shape[1])
    scale = jnp.exp(numpyro.sample("logsigma", log_of(dist.Exponential(1.0))))
    nu = jnp.exp(numpyro.sample("lognu", log_of(dist.Gamma(2.0, 0.1))))
    observe(dist.StudentT(nu, location, scale), y)


def eightschools(y, sigma):
    mu = normal("mu", scale=5.0)
    tau = jnp.exp(numpyro.sample("logtau", log_of(dist.HalfCauchy(5.0))))
    observe(dist.Normal(mu + tau * normal("e", len(y)), sigma), y)


def funnel(c):
    v = normal("v", scale=3.0)
    numpyro.sample("x", dist.Normal(0.0, c * jnp.exp(v / 2)).to_event(1))


def hierarchical(X, G, y):
    mu = normal("mu", scale=2.5)
    tau = jnp.exp(numpyro.sample("logtau", log_of(dist.HalfNormal(1.0))))
    beta = normal("beta", X.shape[1])
    observe(dist.Bernoulli(logits=mu + X @ beta + tau * normal("e", G.shape[1])[G.argmax(1)]), y)


def itemresponse(P, Y):
    theta, b = normal("theta", P.shape[1]), normal("b", Y.shape[1], scale=1.5)
    a = jnp.exp(normal("loga", Y.shape[1], scale=0.5))
    observe(dist.Bernoulli(logits=a * (theta[P.argmax(1)][:, None] - b)), Y)


def gaussianprocess(L, y):
    mu, amplitude = normal("mu", scale=1.5), jnp.exp(normal("logs", location=0.5, scale=0.5))
    observe(dist.Bernoulli(logits=mu + amplitude * (L @ normal("e", L.shape[1]))), y)


def ordinal(X, A, B, G, first, last):
    c, gaps = normal("c", scale=2.5), jnp.exp(normal("loggap", A.shape[1]))
    cuts = c + jnp.concatenate([jnp.zeros(1), jnp.cumsum(gaps)])
    category = (A.sum(1) + last).astype(int)  # 0 to 4: the last one has as many gaps below it as the one before
    observe(dist.OrderedLogistic(X @ normal("beta", X.shape[1]), cuts), category)


class Autoregression(dist.Distribution):
    """A stationary normal process of first order around a mean."""

    support = dist.constraints.real_vector

    def __init__(self, mean, phi, sigma, length):
        self.mean_, self.phi, self.sigma = mean, phi, sigma
        super().__init__(event_shape=(length,))

    def of_innovations(self, e):
        """The process of standard normal numbers."""
        first = e[0] / jnp.sqrt(1 - self.phi**2)
        step = lambda h, e: (self.phi * h + e, self.phi * h + e)
        return self.mean_ + self.sigma * jnp.concatenate([first[None], jax.lax.scan(step, first, e[1:])[1]])

    def sample(self, key, sample_shape=()):
        assert not sample_shape
        return self.of_innovations(jax.random.normal(key, self.event_shape))

    def log_prob(self, h):
        first = dist.Normal(self.mean_, self.sigma / jnp.sqrt(1 - self.phi**2)).log_prob(h[..., 0])
        return first + dist.Normal(self.mean_ + self.phi * (h[..., :-1] - self.mean_), self.sigma).log_prob(h[..., 1:]).sum(-1)


def volatility(E, S, first, y, centred=True):
    """As the spec has it, or, for the sampler, with h made of innovations, which mixes ten times as fast."""
    mu = normal("mu", scale=2.0)
    phi = 2 * jax.nn.sigmoid(numpyro.sample("u", logit_of(dist.Beta(20.0, 1.5)))) - 1
    process = Autoregression(mu, phi, jnp.exp(normal("logsigma", location=-1.5, scale=0.5)), len(y))
    if centred:
        h = numpyro.sample("h", process)
    else:
        h = numpyro.deterministic("h", process.of_innovations(normal("e", len(y))))
    observe(dist.Normal(0.0, jnp.exp(h / 2)), y)


def horseshoe(X, y):
    p = X.shape[1]
    sigma = jnp.exp(numpyro.sample("logsigma", log_of(dist.Exponential(1.0))))
    logtau = numpyro.sample("logtau", log_of(dist.HalfCauchy(0.1)))
    loglambda = numpyro.sample("loglambda", log_of(dist.HalfCauchy(jnp.ones(p))).to_event(1))
    observe(dist.Normal(X @ (jnp.exp(logtau + loglambda) * normal("e", p)), sigma), y)


def network(x, y):
    sigma = jnp.exp(numpyro.sample("logsigma", log_of(dist.Exponential(1.0))))
    c, v1, v2 = normal("c"), normal("v1"), normal("v2")
    w1, w2 = (normal(f"w{k}", location=0.5, scale=0.5) for k in (1, 2))
    m = normal("m", location=-1.0)
    gap = jnp.exp(normal("g", location=0.5, scale=0.5))
    observe(dist.Normal(c + v1 * jnp.tanh(jnp.exp(w1) * (x - m)) + v2 * jnp.tanh(jnp.exp(w2) * (x - m - gap)), sigma), y)


# model: parts of its data that have several columns, and the settings of NUTS
MODELS = {
    "logistic": (logistic, "X", {}),
    "poisson": (poisson, "X", {}),
    "linearknown": (linearknown, "X", {}),
    "linear": (linear, "X", {}),
    "robust": (robust, "X", {}),
    "eightschools": (eightschools, "", {"target_accept_prob": 0.95}),
    "funnel": (funnel, "", None),
    "hierarchical": (hierarchical, "XG", {"target_accept_prob": 0.9}),
    "itemresponse": (itemresponse, "PY", {}),
    "gaussianprocess": (gaussianprocess, "L", {"target_accept_prob": 0.9}),
    "ordinal": (ordinal, "XABG", {}),
    "volatility": (volatility, "ES", {"target_accept_prob": 0.98, "centred": False}),
    "horseshoe": (horseshoe, "X", {"target_accept_prob": 0.998}),
    # from points at random one chain of four stays around a mode whose log density is 84 below
    "network": (network, "", {"target_accept_prob": 0.95, "start": "median"}),
}


def read(file, vectors):
    """The parts of the data: columns X1, X2 and so on are the matrix X."""
    with open(file, newline="") as f:
        header, *rows = csv.reader(f)
    values, parts = np.array(rows, float), {}
    for j, name in enumerate(header):
        part = name[0] if name[0] in vectors and name[1:].isdigit() else name
        parts.setdefault(part, []).append(values[:, j])
    return {k: jnp.array(np.stack(v, 1) if k in vectors else v[0]) for k, v in parts.items()}


def flatten(sites, draws):
    """Draws of all latent variables as the columns of a matrix, in the order of the sites."""
    return np.concatenate([np.asarray(draws[s]).reshape(len(draws[s]), -1) for s in sites], 1)


class Problem:
    def __init__(self, name, folder):
        self.name = name
        self.model, vectors, self.settings = MODELS[name]
        file = os.path.join(folder, name + ".csv")
        self.data = read(file, vectors)
        with open(file, "rb") as f:
            self.hash = hashlib.sha256(f.read()).hexdigest()[:16]
        seeded = numpyro.handlers.seed(self.model, 0)
        trace = numpyro.handlers.trace(seeded).get_trace(**self.data)
        latent = [(k, s["value"].shape) for k, s in trace.items() if s["type"] == "sample" and not s["is_observed"]]
        self.sites, self.shapes = [k for k, _ in latent], dict(latent)
        self.d = sum(int(np.prod(s)) for _, s in latent)

    def log_joint(self, z):
        values, at = {}, 0
        for s in self.sites:
            length = int(np.prod(self.shapes[s]))
            values[s] = jnp.array(z[at : at + length]).reshape(self.shapes[s])
            at += length
        return float(log_density(self.model, (), self.data, values)[0])


def rounded(x, digits=6):
    return [float(f"{v:.{digits}g}") for v in np.ravel(x)]


# What is known exactly


def exact(p):
    if p.name == "linearknown":
        X, y = (np.asarray(p.data[k], float) for k in "Xy")
        precision = X.T @ X / 0.64 + np.eye(X.shape[1])
        covariance = np.linalg.inv(precision)
        of_y = X @ X.T + 0.64 * np.eye(len(y))
        evidence = -(y @ np.linalg.solve(of_y, y) + np.linalg.slogdet(of_y)[1] + len(y) * np.log(2 * np.pi)) / 2
        return summary(covariance @ X.T @ y / 0.64, covariance) | {"log_evidence": float(evidence)}
    if p.name == "funnel":  # x is c exp(v/2) times a normal number, and E exp(v) is exp(9/2)
        c = np.asarray(p.data["c"])
        return summary(np.zeros(p.d), np.diag(np.concatenate([[9.0], np.exp(4.5) * c**2]))) | {"log_evidence": 0.0}
    return None


def summary(mean, covariance):
    sd = np.sqrt(np.diag(covariance))
    lower = [[round(float(covariance[i, j] / sd[i] / sd[j]), 3) + 0.0 for j in range(i)] for i in range(1, len(sd))]
    return {"mean": rounded(mean), "sd": rounded(sd), "correlations": lower}


# NUTS


CHAINS, WARMUP, DRAWS, MOST = 4, 1500, 2500, 40_000
RHAT, ERROR = 1.01, 0.025  # what is asked for: of every latent variable, the error of its mean in standard deviations


def nuts(p):
    settings = dict(p.settings)
    start = {"uniform": init_to_uniform, "median": init_to_median}[settings.pop("start", "uniform")]  # of the prior, or in (-2, 2)
    arguments = dict(p.data) | {k: settings.pop(k) for k in ["centred"] if k in settings}
    kernel = NUTS(p.model, init_strategy=start, **settings)
    mcmc = MCMC(kernel, num_warmup=WARMUP, num_samples=DRAWS, num_chains=CHAINS, chain_method="sequential", progress_bar=False)
    began, chunks, divergent = time.process_time(), [], 0
    mcmc.run(jax.random.PRNGKey(20261122), **arguments)
    while True:
        draws = mcmc.get_samples(group_by_chain=True)
        chunks.append(np.stack([flatten(p.sites, {s: draws[s][c] for s in p.sites}) for c in range(CHAINS)]))
        divergent += int(mcmc.get_extra_fields(group_by_chain=True)["diverging"].sum())
        x = np.concatenate(chunks, 1)
        set_ = arviz.convert_to_dataset({"z": x})
        measure = {k: getattr(arviz, f)(set_, method=m).z.values for k, f, m in [
            ("rhat", "rhat", "rank"), ("bulk", "ess", "bulk"), ("tail", "ess", "tail"), ("mean", "mcse", "mean"), ("sd", "mcse", "sd")]}
        flat = x.reshape(-1, p.d)
        sd = flat.std(0, ddof=1)
        error = measure["mean"] / sd
        print(f"{p.name}: {len(flat)} draws, R-hat {measure['rhat'].max():.4f}, error {error.max():.4f}, ESS {measure['bulk'].min():.0f}, "
              f"{divergent} divergent, {time.process_time() - began:.0f} s", file=sys.stderr, flush=True)
        good = measure["rhat"].max() < RHAT and error.max() < ERROR
        if good or x.shape[1] >= MOST:
            break
        mcmc.post_warmup_state = mcmc.last_state
        mcmc.run(mcmc.post_warmup_state.rng_key, **arguments)
    quantiles = np.quantile(flat, [0.05, 0.5, 0.95], axis=0)
    return summary(flat.mean(0), np.cov(flat.T)) | {
        "q05": rounded(quantiles[0], 4), "q50": rounded(quantiles[1], 4), "q95": rounded(quantiles[2], 4),
        "chains": CHAINS, "warmup": WARMUP, "draws": x.shape[1], "settings": p.settings, "good": bool(good), "divergent": divergent,
        "rhat": round(float(measure["rhat"].max()), 5), "ess_bulk": round(float(measure["bulk"].min())),
        "ess_tail": round(float(measure["tail"].min())), "error_of_means": round(float(error.max()), 5),
        "error_of_sds": round(float((measure["sd"] / sd).max()), 5), "seconds": round(time.process_time() - began, 2),
    }


# SVI


STEPS = [20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000]
LENGTHS = [100, 300, 1000, 3000, 10_000, 30_000, 60_000]
SEEDS, MOST_SECONDS, EVALUATIONS, AT_ONCE = 3, 6.0, 20, 500


class Descent:
    """SVI with so many draws a step, compiled once for all seeds and schedules: rate(i, n) is that of step i of n."""

    def __init__(self, p, rate, particles):
        self.p, self.rate, self.particles = p, rate, particles
        s, state = self.of_seed(0)
        many = Trace_ELBO(num_particles=AT_ONCE)
        self.params = s.get_params

        def advance(state, steps, n):
            scheduled = SVI(p.model, s.guide, numpyro.optim.Adam(lambda i: rate(i, n)), s.loss)
            scheduled.constrain_fn = s.constrain_fn  # which init makes
            return jax.lax.fori_loop(0, steps, lambda _, st: scheduled.update(st, **p.data)[0], state)

        self.advance = jax.jit(advance)
        self.bound = jax.jit(lambda key, params: -many.loss(key, params, p.model, s.guide, **p.data))
        began = time.process_time()
        jax.block_until_ready(self.advance(state, 1, 1.0))
        self.compiling = round(time.process_time() - began, 3)

    def of_seed(self, seed):
        guide, loss = AutoMultivariateNormal(self.p.model), Trace_ELBO(num_particles=self.particles)
        s = SVI(self.p.model, guide, numpyro.optim.Adam(0.01), loss)
        return s, s.init(jax.random.PRNGKey(seed), **self.p.data)

    def timed(self, state, steps, n):
        began = time.process_time()
        state = jax.block_until_ready(self.advance(state, steps, float(n)))
        return state, time.process_time() - began

    def measure(self, state, steps, seconds):
        """The bound by fresh draws, after steps that took so long."""
        params = self.params(state)
        values = [float(self.bound(jax.random.PRNGKey(1000 + i), params)) for i in range(EVALUATIONS)]
        return {"steps": steps, "seconds": float(f"{seconds:.4g}"), "bound": round(float(np.mean(values)), 5),
                "error": float(f"{np.std(values, ddof=1) / np.sqrt(EVALUATIONS):.2g}")}

    def on_the_way(self, seed):
        """One run, measured on its way."""
        state, taken, done, course = self.of_seed(seed)[1], 0.0, 0, []
        for n in STEPS:
            state, seconds = self.timed(state, n - done, n)
            taken, done = taken + seconds, n
            course.append(self.measure(state, n, taken))
            if taken > MOST_SECONDS:
                break
        return course

    def ends(self, seed):
        """Runs of several lengths, whose schedules are as long."""
        course = []
        for n in LENGTHS:
            if course and course[-1]["seconds"] * n / course[-1]["steps"] > MOST_SECONDS:
                break
            state, seconds = self.timed(self.of_seed(seed)[1], n, n)
            course.append(self.measure(state, n, seconds))
        return course


def svi(p):
    settings = []
    for name, rate, particles, follow in [
        ("Adam 0.01, 1 draw", lambda i, n: 0.01, 1, Descent.on_the_way),
        ("Adam from 0.05 to 0.0005, 10 draws", lambda i, n: 0.05 * 100 ** -jnp.minimum(i / n, 1), 10, Descent.ends),
    ]:
        descent = Descent(p, rate, particles)
        runs = [{"seed": seed, "course": follow(descent, seed)} for seed in range(SEEDS)]
        print(f"{p.name}: SVI, {name}: {[r['course'][-1] for r in runs]}", file=sys.stderr, flush=True)
        settings.append({"optimizer": name, "compile_seconds": descent.compiling, "runs": runs})
    return settings


def answer(name, folder, former, keep):
    """The answer to a model. What is kept of a former answer to the same data, "nuts" or "svi", is not asked again."""
    p = Problem(name, folder)
    points = np.round(np.random.default_rng(5).normal(0, 0.4, (3, p.d)), 3)
    truth = exact(p)
    result = {"model": name, "data": p.hash, "d": p.d, "sites": [[s, list(map(int, p.shapes[s]))] for s in p.sites],
              "points": points.tolist(), "log_joint": [p.log_joint(z) for z in points]}
    if truth:
        result["exact"] = truth
    former = former if former and former["data"] == p.hash else {}
    if p.settings is not None:
        result["nuts"] = former["nuts"] if "nuts" in keep and "nuts" in former else nuts(p)
    result["svi"] = former.get("svi", []) if "svi" in keep else svi(p)
    return result


def save(file, answers):
    versions = {m.__name__: m.__version__ for m in (arviz, jax, np, numpyro)}
    lines = ",\n".join(json.dumps(answers[k], separators=(",", ":")) for k in MODELS if k in answers)
    with open(file + ".part", "w") as f:
        f.write(f'{{"versions":{json.dumps(versions)},\n"answers":[\n{lines}\n]}}\n')
    os.replace(file + ".part", file)


def main(folder, file, *rest):
    names, answers = [r for r in rest if not r.startswith("--")], {}
    keep = {"nuts"} if "--svi" in rest else {"svi"} if "--nuts" in rest else set()
    if os.path.exists(file):
        with open(file) as f:
            answers = {a["model"]: a for a in json.load(f)["answers"]}
    for name in names or MODELS:
        answers[name] = answer(name, folder, answers.get(name), keep)
        save(file, answers)


if __name__ == "__main__":
    main(*sys.argv[1:])
