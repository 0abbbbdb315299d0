"""Reads draws of an approximation as ArviZ does, and holds them against each other and against a report:

    python check_arviz.py DRAWS.json [REPORT.json]

DRAWS.json is what ArviZ 0.x reads by arviz.from_json; ArviZ 1 has no such function, and arviz.from_dict of arrays does the same:

    {"posterior":          {"mu": [[...]], "beta": [[[...], ...]]},      chain, draw, entries
     "sample_stats":       {"lp": [[...]], "log_q": [[...]], "log_weight": [[...]]},
     "posterior_attrs":    {"inference_library": "sngdgen", ...},
     "sample_stats_attrs": {...}}

lp is the logarithm of the joint density of latent variables and data, log_q that of the approximation, and log_weight the first
less the second, whose mean is the bound. Draws are independent: there is one chain. REPORT.json is what sngdgen fit --json
printed: means and standard deviations must agree within 5 standard errors, the bound too.
"""

import json
import sys

import arviz
import numpy as np


def read(file):
    """The groups posterior and sample_stats, of any version of ArviZ."""
    if hasattr(arviz, "from_json"):
        return arviz.from_json(file)
    with open(file) as f:
        groups = json.load(f)
    attributes = {k.removesuffix("_attrs"): v for k, v in groups.items() if k.endswith("_attrs")}
    groups = {k: {name: np.array(v) for name, v in vs.items()} for k, vs in groups.items() if not k.endswith("_attrs")}
    return arviz.from_dict(groups, attrs=attributes)


def agree(what, got, want, error):
    if not np.all(np.abs(np.asarray(got) - np.asarray(want)) <= error):
        sys.exit(f"{what}: {got}, want {want} within {error}")


def main(draws, report=None):
    data = read(draws)
    posterior, stats = data["posterior"], data["sample_stats"]
    chains, n = posterior.sizes["chain"], posterior.sizes["draw"]
    for group in posterior, stats:
        for name, x in group.data_vars.items():
            if x.dims[:2] != ("chain", "draw") or not np.isfinite(x.values).all():
                sys.exit(f"{name}: dimensions {x.dims}, all finite: {np.isfinite(x.values).all()}")
    lp, log_q, weight = (stats[k].values.ravel() for k in ("lp", "log_q", "log_weight"))
    agree("log_weight", weight, lp - log_q, 1e-9 * (1 + np.abs(lp) + np.abs(log_q)))
    print(f"ArviZ {arviz.__version__}: {chains} x {n} draws, {dict(posterior.attrs)}")
    print(arviz.summary(data))
    w = np.exp(weight - weight.max())
    print(f"bound {weight.mean():.4f}, error {weight.std() / np.sqrt(n):.4f}; effective size of importance weights {w.sum() ** 2 / (w**2).sum():.1f}")
    if report is None:
        return
    with open(report) as f:
        known = json.load(f)
    for name, mean in known["posterior"]["mean"].items():
        x = posterior[name].values.reshape(chains * n, -1)
        sd = np.ravel(known["posterior"]["sd"][name])
        agree(f"means of {name}", x.mean(0), np.ravel(mean), 5 * sd / np.sqrt(len(x)))
        agree(f"standard deviations of {name}", x.std(0, ddof=1), sd, 5 * sd / np.sqrt(2 * len(x)))
    elbo = known["elbo"]
    agree("bound", weight.mean(), elbo["mean"], 5 * np.hypot(elbo["standard_error"], weight.std() / np.sqrt(n)))
    print("as in the report")


if __name__ == "__main__":
    main(*sys.argv[1:])
