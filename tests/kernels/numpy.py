# Measures with NumPy and SciPy what tests/kernels measures: the least of many times, in seconds, as JSON.
import json
import sys
import time

import numpy as np
import scipy.linalg as sl
from scipy.linalg import blas, lapack

try:
    from threadpoolctl import threadpool_info

    info = [f"{i['internal_api']} {i['version']}, kernels {i.get('architecture')}, {i['num_threads']} thread" for i in threadpool_info()]
except ImportError:
    info = ["without threadpoolctl the BLAS is not known"]


def least(f):
    calls, elapsed = 1, 0.0
    while elapsed < 2e-3:
        calls *= 2
        start = time.process_time()
        for _ in range(calls):
            f()
        elapsed = time.process_time() - start
    best = elapsed / calls
    for _ in range(15):
        start = time.process_time()
        for _ in range(calls):
            f()
        best = min(best, (time.process_time() - start) / calls)
    return best


def operations(d, b=256):
    rng = np.random.default_rng(d)
    a, c = rng.standard_normal((d, d)), rng.standard_normal((d, d))
    x, y = rng.standard_normal((b, d)), np.empty((b, d))
    out, w, v, u = np.empty((d, d)), rng.standard_normal(b), rng.standard_normal(d), np.empty(b)
    ud = np.empty(d)
    m = np.eye(d) + 1e-3 / d * (a + a.T)
    l = np.linalg.cholesky(m)
    lf, mf, xf = np.asfortranarray(l), np.asfortranarray(m), np.asfortranarray(x.T)
    g, wx = np.zeros((d, d), order="F"), np.empty((b, d))

    def gram():
        # The weights' product, and the half of the product that dsyrk computes, were they not negative.
        np.multiply(x, w[:, None], out=wx)
        blas.dsyrk(1.0, wx.T, beta=1.0, c=g, lower=1, overwrite_c=1)

    def distances():
        z = blas.dtrsm(1.0, lf, xf, lower=1)
        np.einsum("ij,ij->j", z, z, out=u)

    return {
        "distances": distances,
        "product": lambda: np.dot(a, c, out=out),
        "rows": lambda: np.dot(x, a, out=y),
        "transposed": lambda: np.dot(x, a.T, out=y),
        "gram": gram,
        "vector": lambda: np.dot(x, v, out=u),
        "vectort": lambda: np.dot(w, x, out=ud),
        "squares": lambda: np.einsum("ij,ij->i", x, x, out=u),
        "solve": lambda: blas.dtrsm(1.0, lf, xf, lower=1, overwrite_b=1),
        "solvet": lambda: blas.dtrsm(1.0, lf, xf, lower=1, trans_a=1, overwrite_b=1),
        "cholesky": lambda: lapack.dpotrf(mf, lower=1, clean=0),
        "inverse": lambda: lapack.dpotri(lf, lower=1),
    }


times = {}
for d in json.loads(sys.argv[1]):
    for name, f in operations(d).items():
        times.setdefault(name, {})[d] = least(f)
json.dump({"About": "; ".join(info), "Times": times}, sys.stdout)
