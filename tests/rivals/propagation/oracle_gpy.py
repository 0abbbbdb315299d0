"""Asks GPy for classification by a Gaussian process with the probit likelihood by its expectation propagation:

    python oracle_gpy.py POSTERIORS ORACLE.json

The covariance is that of the latent function at the points of the rows, amplitude 4, with the Cholesky factor in the data of
tests/rivals/posteriors. The answers are the moments of the latent function there, and the logarithm of the evidence.
"""

import csv
import json
import os
import sys

import GPy
import numpy as np
from GPy.inference.latent_function_inference.expectation_propagation import EP
from paramz import ObsAr

folder, path = sys.argv[1:]
with open(os.path.join(folder, "testdata", "gaussianprocess.csv")) as f:
    rows = list(csv.DictReader(f))
y = np.array([float(r["y"]) for r in rows])
L = np.array([[float(v) for k, v in r.items() if k.startswith("L")] for r in rows])
K = 4 * L @ L.T
X = np.arange(len(y), dtype=float)[:, None]
kernel = GPy.kern.Fixed(1, K)
likelihood = GPy.likelihoods.Bernoulli(gp_link=GPy.likelihoods.link_functions.Probit())
posterior, evidence, _ = EP(epsilon=1e-12, eta=1.0, delta=1.0, max_iters=2000).inference(kernel, X, likelihood, ObsAr(y[:, None]))
answer = {"version": GPy.__version__, "mean": (K @ posterior.woodbury_vector)[:, 0].tolist(),
          "sd": np.sqrt(np.diag(K - K @ posterior.woodbury_inv @ K)).tolist(), "log_evidence": float(np.squeeze(evidence))}
with open(path) as f:
    answers = json.load(f)
answers["gpy"] = answer
with open(path, "w") as f:
    json.dump(answers, f)
    f.write("\n")
print(answer["log_evidence"], answer["mean"][:3], answer["sd"][:3], file=sys.stderr)
