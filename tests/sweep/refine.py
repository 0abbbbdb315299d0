"""Goes on where fits of sngdgen to one column ended, with SciPy's optimisers.

Reads a JSON object a line from the standard input, {"key", "family", "file", "parameters"}, and answers with one each: "there" is
the log-likelihood at the reported parameters, "near" what Nelder-Mead and L-BFGS-B gain from these, "far" what they gain from these with the
shape parameters moved outward by 2, 10 and 100; "elsewhere" is the highest log-likelihood that they come to from starts of the data's location and
scale, unless the scale has shrunk onto equal values. A family that has no density here is "unknown". Densities are written so that they keep their digits far out, where scipy.stats loses them.
"""
import json
import sys

import numpy as np
from scipy import optimize, special, stats

FACTORS = (2, 10, 100)
WORK = 2e6  # evaluations of a density for each start, of which there are up to ten
SHRUNK = np.log(1e-3)  # of a scale, in units of the standard deviation


def log_gamma_ratio(a):
    """lgamma(a + 1/2) - lgamma(a), whose difference has no digits where a is large."""
    if a > 1e4:
        return 0.5 * np.log(a) - 1 / (8 * a) + 1 / (192 * a**3)
    return special.gammaln(a + 0.5) - special.gammaln(a)


def log_t(z, nu):
    return log_gamma_ratio(nu / 2) - 0.5 * np.log(nu * np.pi) - (nu + 1) / 2 * np.log1p(z * z / nu)


def log_t_cdf(z, nu):
    """The logarithm of Student's distribution function: of the normal one far out, of the leading terms where it underflows."""
    if nu > 1e8:
        return special.log_ndtr(z)
    p = special.stdtr(nu, z)
    tiny = p < 1e-280
    answer = np.log(np.where(tiny, 1, p))
    if tiny.any():
        x = -z[tiny]
        s = 1 + x * x / nu
        answer[tiny] = log_t(x, nu) + np.log(s * nu / (nu - 1) / x) + np.log1p(-nu / (nu - 3) * s / (x * x))
    return answer


def normal(x, p):
    mu, log_sigma = p
    z = (x - mu) / np.exp(log_sigma)
    return -0.5 * np.log(2 * np.pi) - log_sigma - z * z / 2


def student(x, p):
    mu, log_sigma, log_nu = p
    return log_t((x - mu) / np.exp(log_sigma), np.exp(log_nu)) - log_sigma


def skew_normal(x, p):
    xi, log_omega, alpha = p
    z = (x - xi) / np.exp(log_omega)
    return np.log(2) - 0.5 * np.log(2 * np.pi) - log_omega - z * z / 2 + special.log_ndtr(alpha * z)


def skew_t(x, p):
    xi, log_omega, alpha, log_nu = p
    z, nu = (x - xi) / np.exp(log_omega), np.exp(log_nu)
    return np.log(2) + log_t(z, nu) - log_omega + log_t_cdf(alpha * z * np.sqrt((nu + 1) / (nu + z * z)), nu + 1)


def gamma(x, p):
    """By the logarithms of the shape and the mean."""
    a, mean = np.exp(p)
    return a * np.log(a / mean) - special.gammaln(a) + (a - 1) * np.log(x) - a / mean * x


def inverse_gamma(x, p):
    return gamma(1 / x, p) - 2 * np.log(x)


def beta(x, p):
    a, b = np.exp(p)
    return (a - 1) * np.log(x) + (b - 1) * np.log1p(-x) - special.betaln(a, b)


def negative_binomial(x, p):
    """By the logarithms of the mean and r; the ratio of gamma functions is a sum of logarithms."""
    mean, r = np.exp(p)
    rising = np.concatenate([[0], np.cumsum(np.log1p(np.arange(x.max()) / r))])
    return rising[x.astype(int)] - (x + r) * np.log1p(mean / r) + x * np.log(mean) - special.gammaln(x + 1)


# The densities of regressions without predictors, by the linear predictors and the logarithms or logits of other parameters.

def gumbel(x, p):
    return stats.gumbel_r.logpdf(x, p[0], np.exp(p[1]))


def log_normal(x, p):
    return normal(np.log(x), p) - np.log(x)


def inverse_gaussian(x, p):
    mean, shape = np.exp(p)
    return 0.5 * np.log(shape / (2 * np.pi * x**3)) - shape * ((x - mean) / mean) ** 2 / (2 * x)


def beta_mean(x, p):
    mean, phi = special.expit(p[0]), np.exp(p[1])
    return stats.beta.logpdf(x, mean * phi, (1 - mean) * phi)


def tobit(x, p):
    return np.where(x > 0, normal(x, p), special.log_ndtr(-p[0] / np.exp(p[1])))


def poisson(x, p):
    return stats.poisson.logpmf(x, np.exp(p[0]))


def inflated(at_zero, elsewhere, logit):
    """Where zeros have a probability of their own beside that of a density."""
    return lambda x, p: np.where(x == 0, at_zero(p, logit(p)), elsewhere(np.where(x == 0, 1, x), p) + special.log_expit(-logit(p)))


def zero_too(density):
    """The logarithm of the probability of 0, by itself or by the density."""
    return lambda p, logit: np.logaddexp(special.log_expit(logit), special.log_expit(-logit) + density(np.zeros(1), p[:-1])[0])


def zero_alone(p, logit):
    return special.log_expit(logit)


def log_positive_part(p):
    """The logarithm of the probability that a Poisson count is not 0."""
    return np.log(-np.expm1(-np.exp(p[0])))


def skew_parameters(p):
    omega = np.sqrt(p["Omega"][0][0])
    return [p["xi"][0], np.log(omega), p["eta"][0] * omega]


# Density; coordinates of the reported parameters; which coordinates are shapes, as their logarithms or with a sign.
FAMILIES = {
    "normal": (normal, lambda p: [p["mu"], np.log(p["sigma2"]) / 2], {}),
    "studentt": (student, lambda p: [p["mu"], np.log(p["sigma"]), np.log(p["nu"])], {2: "log"}),
    "skewnormal": (skew_normal, skew_parameters, {2: "real"}),
    "skewt": (skew_t, lambda p: skew_parameters(p) + [np.log(p["nu"])], {2: "real", 3: "log"}),
    "gamma": (gamma, lambda p: [np.log(p["alpha"]), np.log(p["alpha"] / p["beta"])], {0: "log"}),
    "inversegamma": (inverse_gamma, lambda p: [np.log(p["alpha"]), np.log(p["alpha"] / p["beta"])], {0: "log"}),
    "beta": (beta, lambda p: [np.log(p["a"]), np.log(p["b"])], {0: "log", 1: "log"}),
    "gumbel": (gumbel, lambda p: [p["mu"][0], np.log(p["sigma"])], {}),
    "log_normal": (log_normal, lambda p: [p["mu"][0], np.log(p["sigma"])], {}),
    "inverse_gaussian": (inverse_gaussian, lambda p: [p["mu"][0], np.log(p["lambda"])], {1: "log"}),
    "beta_mean": (beta_mean, lambda p: [p["mu"][0], np.log(p["phi"])], {1: "log"}),
    "tobit": (tobit, lambda p: [p["mu"][0], np.log(p["sigma"])], {}),
    "poisson": (poisson, lambda p: [p["lambda"][0]], {}),
    "zero_inflated_poisson": (inflated(zero_too(poisson), poisson, lambda p: p[1]), lambda p: [p["lambda"][0], special.logit(p["p"])], {}),
    "zero_inflated_negative_binomial": (
        inflated(zero_too(negative_binomial), lambda x, p: negative_binomial(x, p[:2]), lambda p: p[2]),
        lambda p: [p["mu"][0], np.log(p["r"]), special.logit(p["p"])], {1: "log"}),
    "hurdle_poisson": (
        inflated(zero_alone, lambda x, p: poisson(x, p) - log_positive_part(p), lambda p: p[1]),
        lambda p: [p["lambda"][0], special.logit(p["p"])], {}),
    "hurdle_gamma": (
        inflated(zero_alone, lambda x, p: gamma(x, [p[1], p[0]]), lambda p: p[2]),
        lambda p: [p["mu"][0], np.log(p["alpha"]), special.logit(p["p"])], {1: "log"}),
    "negbin": (negative_binomial, lambda p: [np.log(p["r"]) + np.log((1 - p["s"]) / p["s"]), np.log(p["r"])], {1: "log"}),
}


# Starts, in coordinates of standardised data.
ELSEWHERE = {
    "studentt": [[0, np.log(0.5), np.log(nu)] for nu in (1, 3, 15)],
    "skewnormal": [[-np.sign(a), 0.3, a] for a in (-4, 4)],
    "skewt": [[-np.sign(a), 0, a, np.log(nu)] for a in (-4, 4) for nu in (3, 15)],
}


def moved(start, shapes, factor):
    p = np.array(start, float)
    for i, kind in shapes.items():
        p[i] = p[i] * factor if kind == "real" else p[i] + np.log(factor)
    return p


def climb(loss, start, evaluations):
    """The lowest point that Nelder-Mead, and L-BFGS-B from there, come to."""
    step = np.maximum(0.1, 0.05 * np.abs(start))
    step[0] = min(step[0], loss.scale)
    simplex = np.vstack([start] + [start + step * e for e in np.eye(len(start))])
    best = optimize.minimize(loss, start, method="Nelder-Mead", options={
        "initial_simplex": simplex, "maxfev": int(evaluations), "xatol": 1e-10, "fatol": 1e-9})
    polished = optimize.minimize(loss, best.x, method="L-BFGS-B", options={"maxfun": int(evaluations / 2)})
    return min(best, polished, key=lambda r: r.fun)


class Loss:
    """Negative log-likelihood of the rows, each value once, with location and scale in units of the data."""

    def __init__(self, density, x):
        self.density, self.scale = density, 1.0
        self.x, self.count = np.unique(x, return_counts=True)

    def __call__(self, p):
        with np.errstate(all="ignore"):
            value = -float(self.count @ self.density(self.x, p))
        return value if np.isfinite(value) else 1e300


def standardised(density, x, family):
    """The same with location and log scale shifted to the data's, so that the optimisers' steps fit."""
    if family not in ("normal", "studentt", "skewnormal", "skewt"):
        return density, lambda p: p
    m, s = np.mean(x), np.std(x)

    def shifted(values, q):
        return density(values, [m + s * q[0], q[1] + np.log(s), *q[2:]])

    return shifted, lambda p: [(p[0] - m) / s, p[1] - np.log(s), *p[2:]]


def refine(question):
    x = np.loadtxt(question["file"], skiprows=1, ndmin=1)
    density, coordinates, shapes = FAMILIES[question["family"]]
    density, to = standardised(density, x, question["family"])
    loss = Loss(density, x)
    evaluations = max(200, min(1500, WORK / len(loss.x)))
    answer = {"elsewhere": None, "elsewhere_at": ""}
    for begin in ELSEWHERE.get(question["family"], ()):
        end = climb(loss, np.array(begin, float), evaluations)
        if end.x[1] > SHRUNK and (answer["elsewhere"] is None or -end.fun > answer["elsewhere"]):
            answer.update(elsewhere=-end.fun, elsewhere_at=text(end.x))
    if question["converged"]:
        start = np.array(to(coordinates(question["parameters"])), float)
        answer.update(follow(loss, start, shapes, evaluations))
    return answer


def follow(loss, start, shapes, evaluations):
    """What is gained from where the fit ended."""
    there = loss(start)
    if there >= 1e300:
        raise ValueError("the log-likelihood at the reported parameters is not finite")
    near = climb(loss, start, evaluations)
    answer = {"there": -there, "near": there - near.fun, "near_at": text(near.x), "far": 0.0, "far_at": ""}
    for factor in FACTORS if shapes else ():
        end = climb(loss, moved(start, shapes, factor), evaluations)
        if there - end.fun > answer["far"]:
            answer.update(far=there - end.fun, far_at=f"x{factor}: {text(end.x)}")
    return answer


def text(p):
    return " ".join(f"{v:.4g}" for v in p)


def main():
    for line in sys.stdin:
        question = json.loads(line)
        try:
            answer = refine(question) if question["family"] in FAMILIES else {"unknown": True}
        except Exception as e:  # one that fails must not end the others
            answer = {"fault": f"{type(e).__name__}: {e}"}
        print(json.dumps({"key": question["key"], **answer}), flush=True)


if __name__ == "__main__":
    main()
