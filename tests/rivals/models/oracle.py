"""Asks NumPyro for the moments of posteriors by NUTS, on the data sets that oracle.R has written:

    python oracle.py FOLDER ORACLE.json [NAME ...]

The models are those of the library of sngdgen, in the units of their latent variables. Four chains of 1,000 draws after as many to warm up,
in float64; times are of the processor, and without those of JAX's compilation.
"""

import csv
import json
import os
import sys
import time

import arviz
import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.infer import MCMC, NUTS, init_to_uniform, init_to_value

numpyro.enable_x64()


def normal(name, scale=1.0, length=None):
    d = dist.Normal(0.0, scale)
    return numpyro.sample(name, d if length is None else d.expand([length]).to_event(1))


def positive(name, scale):
    return numpyro.sample(name, dist.Exponential(1 / scale))


def observe(d, y):
    numpyro.sample("y", d.to_event(1), obs=y)


def randomintercept(x, g, y):
    beta, tau, sigma = normal("beta", 10.0, x.shape[1]), positive("tau", 10.0), positive("sigma", 10.0)
    observe(dist.Normal(x @ beta + tau * normal("e", 1.0, g.max() + 1)[g], sigma), y)


def randomslopes(x, z, g, y):
    beta, sigma = normal("beta", 10.0, x.shape[1]), positive("sigma", 10.0)
    l11, l21, l22 = positive("L11", 10.0), normal("L21", 10.0), positive("L22", 10.0)
    a, b = normal("a", 1.0, g.max() + 1), normal("b", 1.0, g.max() + 1)
    observe(dist.Normal(x @ beta + l11 * a[g] + z * (l21 * a[g] + l22 * b[g]), sigma), y)


def logisticintercept(x, g, trials, y):
    beta, tau = normal("beta", 2.5, x.shape[1]), positive("tau", 2.5)
    observe(dist.Binomial(trials, logits=x @ beta + tau * normal("e", 1.0, g.max() + 1)[g]), y)


def poissonintercept(x, g, y):
    beta, tau = normal("beta", 2.5, x.shape[1]), positive("tau", 2.5)
    observe(dist.Poisson(jnp.exp(x @ beta + tau * normal("e", 1.0, g.max() + 1)[g])), y)


def lasso(x, y):
    alpha, sigma, strength = normal("alpha", 10.0), positive("sigma", 10.0), positive("lambda", 1.0)
    beta = numpyro.sample("beta", dist.Laplace(0.0, sigma / strength).expand([x.shape[1]]).to_event(1))
    observe(dist.Normal(alpha + x @ beta, sigma), y)


def horseshoe(x, y):
    alpha, sigma = normal("alpha", 10.0), positive("sigma", 10.0)
    tau = numpyro.sample("tau", dist.HalfCauchy(1.0))
    widths = numpyro.sample("lambda", dist.HalfCauchy(1.0).expand([x.shape[1]]).to_event(1))
    beta = numpyro.deterministic("beta", sigma * tau * widths * normal("e", 1.0, x.shape[1]))
    observe(dist.Normal(alpha + x @ beta, sigma), y)


def garchposterior(y):
    mu, a = normal("mu", 1.0), numpyro.sample("a", dist.Dirichlet(jnp.array([2.0, 10.0, 2.0])))
    sigma2 = numpyro.sample("sigma2", dist.LogNormal(0.0, 2.0))
    for name, value in (("omega", a[2] * sigma2), ("alpha", a[0]), ("beta", a[1])):
        numpyro.deterministic(name, value)
    after = lambda v, x: (a[0] * (x - mu) ** 2 + a[1] * v + a[2] * sigma2, v)
    observe(dist.Normal(mu, jnp.sqrt(jax.lax.scan(after, sigma2, y)[1])), y)


def autoregression(y):
    mu, phi = numpyro.sample("mu", dist.Normal(1000.0, 1000.0)), numpyro.sample("phi", dist.Uniform(-1.0, 1.0))
    s = positive("s", 1000.0)
    means = jnp.concatenate([mu[None], mu + phi * (y[:-1] - mu)])
    observe(dist.Normal(means, s * jnp.concatenate([1 / jnp.sqrt(1 - phi**2)[None], jnp.ones(len(y) - 1)])), y)


def hidden(y):
    p = numpyro.sample("P", dist.Dirichlet(jnp.array([[8.0, 2.0], [2.0, 8.0]])).to_event(1))
    mu = numpyro.sample("mu", dist.ImproperUniform(dist.constraints.ordered_vector, (), (2,)))
    numpyro.factor("prior of mu", -jnp.sum((mu - 1000) ** 2) / 2e6)
    s = numpyro.sample("s", dist.Exponential(1 / 100).expand([2]).to_event(1))
    logs = dist.Normal(mu, s).log_prob(y[:, None])
    after = lambda a, row: (jax.nn.logsumexp(jnp.log(p.T) + a + row, axis=1), None)
    numpyro.factor("y", jax.nn.logsumexp(jax.lax.scan(after, jnp.log(jnp.full(2, 0.5)), logs)[0]))


def rows(folder, name):
    with open(os.path.join(folder, name + ".csv")) as f:
        return list(csv.DictReader(f))


def column(table, name):
    return np.array([float(r[name]) for r in table])


def levels(table, name):
    """Numbers of the levels, from 0, in the order of sngdgen: numbers before words, each in theirs."""
    key = lambda v: (0, float(v), v) if v.replace(".", "", 1).isdigit() else (1, 0.0, v)
    order = sorted({r[name] for r in table}, key=key)
    return np.array([order.index(r[name]) for r in table])


def indicators(g):
    return (g[:, None] == np.arange(1, g.max() + 1)).astype(float)


def with_intercept(*columns):
    return np.column_stack([np.ones(len(columns[0])), *columns])


def data(folder):
    sleep, herds, seizures, cars = (rows(folder, s) for s in ("sleepstudy", "cbpp", "epil", "mtcars"))
    days, reaction = column(sleep, "Days"), column(sleep, "Reaction") / 100
    of = lambda t, *names: np.column_stack([column(t, n) for n in names])
    sleeping = dict(x=with_intercept(days), g=levels(sleep, "Subject"), y=reaction)
    shrunk = dict(x=of(cars, "cyl", "disp", "hp", "drat", "wt", "qsec", "vs", "am", "gear", "carb"), y=column(cars, "mpg"))
    treated = np.array([float(r["trt"] == "progabide") for r in seizures])
    return {
        "randomintercept": (randomintercept, sleeping),
        "randomslopes": (randomslopes, sleeping | {"z": days}),
        "logisticintercept": (logisticintercept, dict(
            x=with_intercept(indicators(levels(herds, "period"))), g=levels(herds, "herd"), trials=column(herds, "size"), y=column(herds, "incidence"))),
        "poissonintercept": (poissonintercept, dict(
            x=with_intercept(column(seizures, "lbase"), treated, column(seizures, "lage"), column(seizures, "V4")),
            g=levels(seizures, "subject"), y=column(seizures, "y"))),
        "lasso": (lasso, shrunk), "horseshoe": (horseshoe, shrunk),
        "garchposterior": (garchposterior, dict(y=column(rows(folder, "daxyear"), "dax"))),
        "autoregression": (autoregression, dict(y=column(rows(folder, "nile"), "volume"))),
        "hidden states": (hidden, dict(y=column(rows(folder, "nile"), "volume"))),
    }


# Where chains begin that would not find the way from numbers about 0.
starts = {"autoregression": {"mu": jnp.array(900.0), "s": jnp.array(100.0)}, "hidden states": {"mu": jnp.array([800.0, 1100.0]), "s": jnp.array([100.0, 100.0])}}


def ask(name, model, values):
    start = init_to_value(values=starts[name]) if name in starts else init_to_uniform()
    kernel = NUTS(model, target_accept_prob=0.99 if name == "horseshoe" else 0.9, max_tree_depth=12, init_strategy=start)
    sampler = MCMC(kernel, num_warmup=1000, num_samples=1000, num_chains=4, chain_method="sequential", progress_bar=False)
    sampler.warmup(jax.random.PRNGKey(1), **values)
    begin = time.process_time()
    sampler.run(jax.random.PRNGKey(2), **values)
    seconds = time.process_time() - begin
    draws = arviz.from_dict({k: np.asarray(v) for k, v in sampler.get_samples(group_by_chain=True).items()})
    summary = arviz.summary(draws, round_to="none")
    entries = lambda stat: {k: np.atleast_1d(getattr(draws.posterior[k], stat)(("chain", "draw")).values).tolist() for k in draws.posterior}
    print(f"{name}: {seconds:.1f} s, rhat {summary.r_hat.max():.3f}, ess {summary.ess_bulk.min():.0f}", file=sys.stderr)
    return {"name": name, "n": len(values["y"]), "software": "NUTS", "seconds": seconds, "means": entries("mean"), "sds": entries("std"),
            "rhat": float(summary.r_hat.max()), "ess": float(summary.ess_bulk.min())}


def main(folder, out, *names):
    versions = {m.__name__: m.__version__ for m in (numpyro, jax, arviz, np)}
    answers = []
    for n, d in data(folder).items():
        if not names or n in names:
            answers.append(ask(n, *d))
            with open(out, "w") as f:
                json.dump({"versions": versions, "answers": answers}, f)


main(*sys.argv[1:])
