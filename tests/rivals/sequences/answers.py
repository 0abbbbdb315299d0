"""Answers of statsmodels, arch and hmmlearn to the models of this folder: log-likelihoods at given parameters, estimates, times of one
log-likelihood. Needs statsmodels, arch, hmmlearn.

    python answers.py > answers.json
"""
import json, time, warnings
import numpy as np, pandas as pd
import statsmodels.api as sm
from statsmodels.tsa.arima.model import ARIMA
from arch import arch_model
from arch.data import sp500
from hmmlearn.hmm import GaussianHMM, PoissonHMM

warnings.simplefilter("ignore")
nile = pd.read_csv("nile.csv")["x"].values.astype(float)
quakes = pd.read_csv("quakes.csv")["x"].values
dax = pd.read_csv("../../../docs/data/dax.csv")["dax"].values
returns = (100 * sp500.load()["Adj Close"].pct_change().dropna()).round(6).values
pd.DataFrame({"x": returns}).to_csv("returns.csv", index=False)
out = {}

# Autoregression: exact likelihood of a stationary series, parameters (mean, coefficient, variance).
m = ARIMA(nile, order=(1, 0, 0), trend="c")
r = m.fit(method_kwargs={"pgtol": 1e-10, "factr": 10.0, "maxiter": 500})
at = [900.0, 0.45, 20000.0]
out["autoregression"] = {"data": "nile.csv", "at": at, "loglik": float(m.loglike(at)), "estimate": list(map(float, r.params)), "best": float(r.llf)}

# Local level, with the known start of the model: level 0, variance 1e7.
m = sm.tsa.UnobservedComponents(nile, "llevel")
m.ssm.initialize_known(np.array([0.0]), np.array([[1e7]]))
m.loglikelihood_burn = 0
at = [15099.0, 1469.0]
r = m.fit(disp=0, method="bfgs", gtol=1e-9, maxiter=500)
out["locallevel"] = {"data": "nile.csv", "at": [0.0, 1e7] + at, "loglik": float(m.loglike(at)), "estimate": [0.0, 1e7] + list(map(float, r.params)), "best": float(r.llf)}

# GARCH(1,1): arch begins with a variance that it is given, which here is that of the model in the long run.
mu, s2, a, b = 0.05, 1.4, 0.1, 0.88
m = arch_model(returns, mean="Constant", vol="GARCH", p=1, q=1, rescale=False)
def garch(at):
    mu, s2, a, b = at
    eps = returns - mu
    v = np.empty_like(eps)
    m.volatility.compute_variance(np.array([s2 * (1 - a - b), a, b]), eps, v, s2, np.tile([0.0, np.inf], (len(eps), 1)))
    return float(m.distribution.loglikelihood(np.empty(0), eps, v))
out["garch"] = {"data": "returns.csv", "at": [mu, s2, a, b, 1 - a - b], "loglik": garch([mu, s2, a, b])}

# Hidden Markov model, stationary.
def chain(stay, rate):
    h = PoissonHMM(n_components=2)
    h.startprob_ = np.array([1 - stay[1], 1 - stay[0]]) / (2 - stay[0] - stay[1])
    h.transmat_ = np.array([[stay[0], 1 - stay[0]], [1 - stay[1], stay[1]]])
    h.lambdas_ = np.array(rate)[:, None]
    h.n_features = 1
    return h
at = [0.9, 0.85, 15.0, 25.0]
out["hiddenpoisson"] = {"data": "quakes.csv", "at": at, "loglik": float(chain(at[:2], at[2:]).score(quakes[:, None]))}

# Chains of k states, each of which is as likely as the others in the first row: probabilities of the first state, transition
# probabilities row by row, then what the states emit. The maxima are the best of so many runs of expectation maximisation from random
# starts, of 2,000 iterations at most; where a transition becomes impossible they are close to the supremum.
def uniform(h, k, P):
    h.startprob_, h.transmat_, h.n_features = np.full(k, 1 / k), np.array(P), 1
    return h
def counts(P, rate):
    h = uniform(PoissonHMM(n_components=len(rate)), len(rate), P)
    h.lambdas_ = np.array(rate, float)[:, None]
    return h
def numbers(P, mu, sigma):
    h = uniform(GaussianHMM(n_components=len(mu), covariance_type="diag"), len(mu), P)
    h.means_, h.covars_ = np.array(mu, float)[:, None], np.array(sigma, float)[:, None] ** 2
    return h
def best(kind, k, x, runs, **settings):
    top, rng = -np.inf, np.random.RandomState(1)
    for _ in range(runs):
        emitted = "l" if kind is PoissonHMM else "mc"
        h = kind(n_components=k, params="t" + emitted, init_params=emitted, n_iter=2000, tol=1e-9, random_state=rng, **settings)
        h.startprob_, h.transmat_ = np.full(k, 1 / k), rng.dirichlet(np.ones(k) + 4 * np.eye(k)[0], k)
        h.transmat_ = np.array([np.roll(row, i) for i, row in enumerate(h.transmat_)])
        try:
            h.fit(x[:, None])
        except ValueError:
            continue # a state without rows
        if kind is PoissonHMM or h.covars_.min() > 1e-4 * x.var(): # otherwise a state has gone to rows that are equal, without bound
            top = max(top, h.score(x[:, None]))
    return float(top)
chains = {
    "poissonhmm2": ("quakes.csv", quakes, counts, ([[0.9, 0.1], [0.15, 0.85]], [15.0, 25.0]), PoissonHMM, {}),
    "poissonhmm3": ("quakes.csv", quakes, counts, ([[0.9, 0.06, 0.04], [0.05, 0.88, 0.07], [0.02, 0.2, 0.78]], [13.0, 20.0, 30.0]), PoissonHMM, {}),
    "poissonhmm4": ("quakes.csv", quakes, counts, ([[0.8, 0.1, 0.06, 0.04], [0.05, 0.85, 0.06, 0.04], [0.03, 0.1, 0.82, 0.05],
        [0.02, 0.03, 0.2, 0.75]], [11.0, 16.0, 21.0, 30.0]), PoissonHMM, {}),
    "normalhmm2": ("returns.csv", returns, numbers, ([[0.98, 0.02], [0.03, 0.97]], [0.05, 0.2], [0.8, 1.9]), GaussianHMM,
        dict(covars_prior=0, min_covar=0)),
    "normalhmm3": ("../../../docs/data/dax.csv", dax, numbers, ([[0.96, 0.03, 0.01], [0.02, 0.96, 0.02], [0.02, 0.06, 0.92]], [-0.1, 0.0, 0.1],
        [2.5, 1.2, 0.6]), GaussianHMM, dict(covars_prior=0, min_covar=0)),
}
for name, (file, x, make, (P, *emitted), kind, settings) in chains.items():
    k = len(P)
    at = [1 / k] * k + list(np.ravel(P)) + list(np.ravel(emitted))
    out[name] = {"data": file, "at": at, "loglik": float(make(P, *emitted).score(x[:, None])), "best": best(kind, k, x, 20, **settings)}

# Times of one log-likelihood, in seconds, of as many rows.
rng = np.random.default_rng(1)
def clock(f):
    f(); best = np.inf
    for _ in range(3):
        t = time.perf_counter(); f(); best = min(best, time.perf_counter() - t)
    return best
sizes = [100, 1000, 10000, 100000]
for name in out:
    out[name]["seconds"] = {}
for n in sizes:
    x = rng.normal(size=n)
    a = ARIMA(x, order=(1, 0, 0), trend="c"); out["autoregression"]["seconds"][n] = clock(lambda: a.loglike([0, 0.5, 1]))
    l = sm.tsa.UnobservedComponents(x, "llevel"); out["locallevel"]["seconds"][n] = clock(lambda: l.loglike([1, 1]))
    v, bounds = np.empty(n), np.tile([0.0, np.inf], (n, 1))
    out["garch"]["seconds"][n] = clock(lambda: (m.volatility.compute_variance(np.array([0.1, 0.1, 0.8]), x, v, 1.0, bounds), m.distribution.loglikelihood(np.empty(0), x, v)))
    c, h = rng.poisson(20, size=(n, 1)), chain([0.9, 0.85], [15.0, 25.0])
    out["hiddenpoisson"]["seconds"][n] = clock(lambda: h.score(c))
    for name, (_, _, make, at, kind, _) in chains.items():
        h, rows = make(*at), c if kind is PoissonHMM else x[:, None]
        out[name]["seconds"][n] = clock(lambda: h.score(rows))
print(json.dumps(out, indent=1))
