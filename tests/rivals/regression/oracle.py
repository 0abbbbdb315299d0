"""Fits cases with statsmodels and SciPy.

    python oracle.py data FOLDER
    python oracle.py fit CASES.json ANSWERS.json

The first writes data sets that statsmodels ships as CSV; the others are written by oracle.R.
"""

import contextlib
import importlib
import json
import math
import os
import sys
import time
import warnings

import numpy as np
import pandas as pd
import scipy
import statsmodels
from scipy import stats
from statsmodels.base.model import GenericLikelihoodModel
from statsmodels.discrete.discrete_model import NegativeBinomial
from statsmodels.miscmodels.tmodel import TLinearModel
from statsmodels.othermod.betareg import BetaModel


def shipped(name):
    return importlib.import_module("statsmodels.datasets." + name).load_pandas().data


def food():
    from statsmodels.othermod.tests import test_beta

    d = test_beta.income
    return pd.DataFrame({"share": d["food"] / d["income"], "income": d["income"], "persons": d["persons"]})


def fair():
    d = shipped("fair")
    return d.assign(any=(d["affairs"] > 0).astype(int)).drop(columns="affairs")


def star98():
    d = shipped("star98")
    return d.assign(trials=d["NABOVE"] + d["NBELOW"])


SETS = {
    "engel": lambda: shipped("engel").rename(columns={"FOODEXP": "foodexp", "INCOME": "income"}),
    "food": food,
    "fair": fair,
    "star98": star98,
    "cpunish": lambda: shipped("cpunish"),
    "randhie": lambda: shipped("randhie"),
}


def export(folder):
    for name, make in SETS.items():
        file = os.path.join(folder, name + ".csv")
        make().dropna().to_csv(file + ".part", index=False)
        os.rename(file + ".part", file)


class Skellam(GenericLikelihoodModel):
    """Differences of two Poisson counts, each with a predictor of its own, by SciPy's skellam in statsmodels' frame for likelihoods."""

    def loglikeobs(self, params):
        p = self.exog.shape[1]
        return stats.skellam.logpmf(self.endog, np.exp(self.exog @ params[:p]), np.exp(self.second @ params[p:]))


def skellam(y, first, second):
    model = Skellam(y, first)
    model.second = second
    p, q = first.shape[1], second.shape[1]
    mean = np.log(np.abs(y).mean())
    start = np.concatenate([[mean], np.zeros(p - 1), [mean], np.zeros(q - 1)])
    model.exog_names[:] = [f"b{i}" for i in range(p + q)]
    model.df_model, model.df_resid = p + q - 1, len(y) - p - q
    return model.fit(start, method="bfgs", maxiter=1000, gtol=1e-6, disp=0)


def estimates(fit, case, names):
    """The parameters of sngdgen, from those of a result: groups of coefficients, and what has no predictor."""
    b, se = np.asarray(fit.params), np.asarray(fit.bse)
    par, err, at = {}, {}, 0
    for name, width in names.items():
        par[name], err[name] = b[at : at + width], se[at : at + width]
        at += width
    if case["distribution"] == "student_t":  # location, degrees of freedom, scale
        par["nu"], err["nu"], par["sigma"], err["sigma"] = b[-2:-1], se[-2:-1], b[-1:], se[-1:]
    if case["distribution"] == "negative_binomial_mean":
        par["r"], err["r"] = 1 / b[-1:], se[-1:] / b[-1:] ** 2
    return {k: v.tolist() for k, v in par.items()}, {k: v.tolist() for k, v in err.items()}


def ask(case):
    d = pd.read_csv(case["file"])
    widths = []

    def x(*columns):
        widths.append(1 + len(columns))
        return np.column_stack([np.ones(len(d))] + [d[c] for c in columns])

    scope = {"y": lambda c: np.asarray(d[c], float), "x": x}

    def run():
        with contextlib.redirect_stdout(None):  # some models print
            return eval(case["call"], globals(), scope)

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        fit = run()
    first = {"beta_mean": ["mu", "phi"], "skellam": ["lambda", "mu"]}.get(case["distribution"], ["mu"])
    par, err = estimates(fit, case, dict(zip(first, widths)))
    widths.clear()
    best, spent, n = math.inf, 0.0, 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        while n < 3 or spent < 1 and n < 100:
            t = time.process_time()
            run()
            t = time.process_time() - t
            best, spent, n = min(best, t), spent + t, n + 1
    return {
        "name": case["name"],
        "log_likelihood": float(fit.llf),
        "parameters": par,
        "standard_errors": err,
        "errors": "observed",
        "iterations": int(fit.mle_retvals.get("iterations", -1)),
        "warnings": sorted({str(w.message).split("\n")[0] for w in told}),
        "seconds": best,
    }


def main():
    if sys.argv[1] == "data":
        export(sys.argv[2])
        return
    with open(sys.argv[2]) as f:
        cases = [c for c in json.load(f) if c["rival"] == "python"]
    versions = {"statsmodels": statsmodels.__version__, "numpy": np.__version__, "scipy": scipy.__version__}
    answers = []
    for c in cases:
        try:
            answers.append(ask(c))
        except Exception as e:
            print(f"{c['name']}: {e!r}", file=sys.stderr)
    with open(sys.argv[3], "w") as f:
        json.dump({"versions": versions, "answers": answers}, f)


main()
