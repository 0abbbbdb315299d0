"""Reads draws as ArviZ does, and holds them against each other and against a report:

    sngdgen fit MODEL DATA --seed 1 --draws-to draws.csv --json > fit.json
    sngdgen fit MODEL DATA --seed 1 --draws-to draws.json --json > fit.json
    python tests/rivals/posteriors/check_arviz.py draws.csv fit.json
    python tests/rivals/posteriors/check_arviz.py draws.json fit.json

Without a report it prints what ArviZ finds; the golden files in cmd/sngdgen/testdata/draws are read with

    python tests/rivals/posteriors/check_arviz.py cmd/sngdgen/testdata/draws/draws.csv

ArviZ 0.x reads CSV by from_cmdstan and JSON by from_json. ArviZ 1 has neither: there from_dict takes the arrays of the JSON file.

Run with Python 3.11, ArviZ 0.23.4, NumPy 2.4.6 (both files), and with Python 3.13, ArviZ 1.3.0 (JSON). It is no part of go test.
"""

import json
import sys

import arviz
import numpy as np


def read(file):
    if file.endswith(".csv"):
        return arviz.from_cmdstan(posterior=file)
    if hasattr(arviz, "from_json"):
        return arviz.from_json(file)
    with open(file) as f:
        groups = json.load(f)
    attributes = {k.removesuffix("_attrs"): v for k, v in groups.items() if k.endswith("_attrs")}
    groups = {k: {name: np.array(v) for name, v in vs.items()} for k, vs in groups.items() if not k.endswith("_attrs") and k != "coords"}
    return arviz.from_dict(groups, attrs=attributes)


def agree(what, got, want, error):
    if not np.all(np.abs(np.asarray(got) - np.asarray(want)) <= error):
        sys.exit(f"{what}: {got}, want {want} within {error}")


def main(file, report=None):
    data = read(file)
    posterior, stats = data["posterior"], data["sample_stats"]
    n = posterior.sizes["draw"]
    agree("chains", posterior.sizes["chain"], 1, 0)
    lp, lp_approx = (stats[k].values.ravel() for k in ("lp", "lp_approx"))
    if "log_weight" in stats:  # not of draws that have been resampled
        weight = stats["log_weight"].values.ravel()
        agree("log_weight", weight, lp - lp_approx, 1e-9 * (1 + np.abs(lp) + np.abs(lp_approx)))
    print(f"ArviZ {arviz.__version__}: {n} draws of", {k: v.shape[2:] for k, v in posterior.data_vars.items()})
    if "S" in posterior and posterior["S"].shape[2:] == (2, 2):  # of the golden file
        agree("S", posterior["S"].values[0, 0], [[11, 12], [21, 22]], 0)
    if n > 3:
        print(arviz.summary(data))
    if report is None:
        return
    with open(report) as f:
        known = json.load(f)
    moments = known["resampled"]["posterior"] if "resampled" in known else known["posterior"]
    effective = known["resampled"]["effective_sample_size"] if "resampled" in known else np.inf
    inverse = 1 / n + 1 / effective
    for name, mean in moments["mean"].items():
        x, sd = posterior[name].values.reshape(n, -1), np.ravel(moments["sd"][name])
        agree(f"means of {name}", x.mean(0), np.ravel(mean), 5 * sd * np.sqrt(inverse))
        agree(f"standard deviations of {name}", x.std(0, ddof=1), sd, 8 * sd * np.sqrt(inverse / 2))
        for q in moments["quantiles"]:
            p, want = q["probability"], np.ravel(q["values"][name])
            below = (x <= want).mean(0)
            agree(f"quantile {p} of {name}", below, p, 5 * np.sqrt(p * (1 - p) * inverse))
    if "resampled" not in known:
        agree("bound", weight.mean(), known["elbo"]["mean"], 5 * np.hypot(known["elbo"]["standard_error"], weight.std() / np.sqrt(n)))
        if hasattr(arviz, "psislw"):
            print(f"k-hat by ArviZ {arviz.psislw(weight)[1]:.3f}, of other draws in the report {known['elbo']['k_hat']:.3f}")
    print("as in the report")


if __name__ == "__main__":
    main(*sys.argv[1:])
