"""Mixtures of normals by expectation maximisation of scikit-learn, from a given start:

    python mixture.py FOLDER THREADS

reads rows, means and covariance (raw little-endian float64, sizes in sizes.json) and prints for several tolerances what it comes to, as JSON.
"""
import json
import os
import sys
import time

folder, threads = sys.argv[1], int(sys.argv[2])
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = str(threads)

import numpy as np  # noqa: E402
import sklearn  # noqa: E402
from sklearn.mixture import GaussianMixture  # noqa: E402

with open(os.path.join(folder, "sizes.json"), encoding="utf-8") as f:
    sizes = json.load(f)
n, d, k, tolerances = (sizes[x] for x in ("rows", "columns", "components", "tolerances"))


def read(name, *shape):
    return np.fromfile(os.path.join(folder, name), "<f8").reshape(shape)


x, means, covariance = read("data", n, d), read("means", k, d), read("covariance", d, d)
precision = np.stack([np.linalg.inv(covariance)] * k)
out = []
for tolerance in tolerances:
    began = time.perf_counter()
    g = GaussianMixture(k, tol=tolerance, max_iter=10_000, weights_init=np.full(k, 1 / k), means_init=means, precisions_init=precision, reg_covar=0,
                        init_params="random_from_data").fit(x)
    seconds = time.perf_counter() - began
    out.append({"tolerance": tolerance, "seconds": seconds, "iterations": int(g.n_iter_), "loss": float(-g.score(x)), "converged": bool(g.converged_)})
print(json.dumps({"version": sklearn.__version__, "runs": out}))
