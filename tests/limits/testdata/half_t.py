"""Suprema of the skew-t log-likelihood of numbers at infinite slant: half of a t distribution that ends at the smallest or
the largest value. Run once, with numpy 2.4.6 and scipy 1.17.1 of Python 3.11; reads what hull.py writes, writes half_t.tsv,
and folded.csv: absolute values of quantiles of t distributions with 1, 3 and 6 degrees of freedom, some of them shifted.
"""

import pathlib

import numpy as np
import scipy.optimize
import scipy.stats

here = pathlib.Path(__file__).parent
p = (np.arange(60) + 0.5) / 60
folded = np.stack([np.abs(scipy.stats.t.ppf(p, nu)) for nu in [1, 3, 6]] + [100 - 3 * np.abs(scipy.stats.t.ppf(p, 2))], axis=1)
np.savetxt(here / "folded.csv", folded, fmt="%.17g", delimiter=",")
lines = ["data\tcolumn\tmean log-likelihood"]
for name in ["iris", "wine", "linnerud", "folded"]:
    data = np.loadtxt(here / (name + ".csv"), delimiter=",")
    for column in range(min(data.shape[1], 7)):
        x = data[:, column]
        best = -np.inf
        for end in [x.min(), x.max()]:
            def loss(p):
                return -np.log(2) - scipy.stats.t.logpdf(x, np.exp(p[1]), loc=end, scale=np.exp(p[0])).mean()

            for nu in [1.0, 5.0, 50.0]:
                found = scipy.optimize.minimize(
                    loss, [np.log(x.std()), np.log(nu)], method="Nelder-Mead",
                    options={"xatol": 1e-10, "fatol": 1e-14, "maxiter": 5000})
                if abs(found.x[1]) < 10:
                    best = max(best, -found.fun)
                # towards the half-normal distribution, where it has no maximum in nu
                normal = np.log(2) + scipy.stats.norm.logpdf(x, end, np.sqrt(np.mean((x - end) ** 2))).mean()
                best = max(best, normal)
        lines.append("%s\t%d\t%.17g" % (name, column, best))
(here / "half_t.tsv").write_text("\n".join(lines) + "\n")
