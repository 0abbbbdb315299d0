"""Makes nearly_poisson.json: samples that are nearly Poisson, with the maximum likelihood estimates of the negative binomial
distribution to 20 digits, or the finding that there is none.

    python nearly_poisson.py > nearly_poisson.json

A finite maximum exists exactly where the sample variance (with 1/n) exceeds the mean, decided here in whole numbers, and is then
unique (Levin and Reeds 1977, Compound multinomial likelihood functions are unimodal). Otherwise the log-likelihood rises to
that of the Poisson distribution as r grows. With N(j) the number of counts above j, the estimate of r is the root of
sum_j N(j)/(r + j) = n log(1 + mean/r), solved with 60 digits; s = r/(r + mean).
"""

import json
import sys

import numpy as np
from mpmath import mp, mpf, log, loggamma, findroot, nstr

mp.dps = 60


def score(counts, r):
    n, total = len(counts), sum(counts)
    tail = sum(mpf(sum(c > j for c in counts)) / (r + j) for j in range(max(counts)))
    return tail - n * log(1 + mpf(total) / n / r)


def likelihood(counts, r):
    mean = mpf(sum(counts)) / len(counts)
    s = r / (r + mean)
    return sum(loggamma(c + r) - loggamma(r) - loggamma(c + 1) + c * log(1 - s) + r * log(s) for c in counts)


def poisson(counts):
    mean = mpf(sum(counts)) / len(counts)
    return sum(c * log(mean) - mean - loggamma(c + 1) for c in counts)


def estimate(counts):
    n, total, squares = len(counts), sum(counts), sum(c * c for c in counts)
    row = {"counts": counts, "poisson": nstr(poisson(counts), 20)}
    row["finite"] = n * squares - total * total > n * total
    if row["finite"]:
        # The score is positive below its only root and negative above.
        low, high = mpf("1e-3"), mpf("1e-3")
        while score(counts, high) > 0:
            low, high = high, 4 * high
        while (high - low) > low * mpf(10) ** -30:
            middle = (low + high) / 2
            low, high = (middle, high) if score(counts, middle) > 0 else (low, middle)
        r = findroot(lambda r: score(counts, r), low)
        row |= {"r": nstr(r, 20), "s": nstr(r / (r + mpf(total) / n), 20), "log_likelihood": nstr(likelihood(counts, r), 20)}
    return row


def main():
    random = np.random.Generator(np.random.PCG64(2024))
    rows = [estimate([5, 9, 5, 6, 2, 3, 2, 3, 6, 3])]
    while len(rows) < 120:
        n = int(random.choice([10, 20, 50, 100, 200]))
        mean = float(random.choice([0.5, 1, 2, 4, 10, 20]))
        counts = [int(c) for c in random.poisson(mean, n)]
        # Half of the samples have a variance within 5 % of the mean: their maxima are far out, and flat.
        close = abs(np.var(counts) - np.mean(counts)) < 0.05 * np.mean(counts)
        if max(counts) > 0 and (close or len(rows) < 60):
            rows.append(estimate(counts))
    print("[\n" + ",\n".join(json.dumps(r) for r in rows) + "\n]")
    print(sum(r["finite"] for r in rows), "of", len(rows), "have a maximum", file=sys.stderr)


main()
