"""Draws the data of the models with fixed seeds and writes them to testdata, a column for each number of a row, named after the
parts of the data in the specs:

    python data.py FOLDER

The eight schools are those of Rubin (1981), Estimation in parallel randomized experiments, table 1.
"""

import os
import sys

import numpy as np


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def columns(name, matrix):
    return {f"{name}{j + 1}": matrix[:, j] for j in range(matrix.shape[1])}


def correlated(rng, n, p, rho):
    """Standard normal rows, neighbours of correlation rho."""
    x = rng.standard_normal((n, p))
    for j in range(1, p):
        x[:, j] = rho * x[:, j - 1] + np.sqrt(1 - rho**2) * x[:, j]
    return np.round(x, 4)


def one_hot(index, length):
    return np.eye(length, dtype=int)[index]


def logistic(rng):
    x = correlated(rng, 200, 24, 0.6)
    y = rng.random(200) < sigmoid(-0.5 + x @ rng.normal(0, 0.7, 24))
    return columns("X", x) | {"y": y.astype(int)}


def poisson(rng):
    x = correlated(rng, 200, 8, 0.5)
    return columns("X", x) | {"y": rng.poisson(np.exp(0.5 + x @ rng.normal(0, 0.3, 8)))}


def linearknown(rng):
    x = correlated(rng, 100, 12, 0.5)
    return columns("X", x) | {"y": np.round(x @ rng.normal(0, 1, 12) + 0.8 * rng.standard_normal(100), 4)}


def linear(rng):
    x = correlated(rng, 60, 12, 0.5)
    return columns("X", x) | {"y": np.round(1 + x @ rng.normal(0, 1, 12) + 1.3 * rng.standard_normal(60), 4)}


def robust(rng):
    x = correlated(rng, 150, 8, 0.3)
    return columns("X", x) | {"y": np.round(1 + x @ rng.normal(0, 1, 8) + 0.7 * rng.standard_t(3, 150), 4)}


def eightschools(rng):
    return {"y": np.array([28, 8, -3, 7, -1, 1, 18, 12]), "sigma": np.array([15, 10, 16, 11, 9, 11, 10, 18])}


def funnel(rng):
    return {"c": np.ones(9, dtype=int)}


def hierarchical(rng):
    n, groups = 350, 35
    x, g = correlated(rng, n, 3, 0), np.arange(n) % groups
    eta = -0.3 + x @ np.array([0.8, -0.5, 0.2]) + 0.9 * rng.standard_normal(groups)[g]
    return columns("X", x) | columns("G", one_hot(g, groups)) | {"y": (rng.random(n) < sigmoid(eta)).astype(int)}


def itemresponse(rng):
    persons, items = 44, 20
    theta, b, a = rng.standard_normal(persons), rng.normal(0, 1.2, items), np.exp(0.4 * rng.standard_normal(items))
    y = rng.random((persons, items)) < sigmoid(a * (theta[:, None] - b))
    return columns("P", np.eye(persons, dtype=int)) | columns("Y", y.astype(int))


def gaussianprocess(rng):
    x = np.sort(rng.uniform(0, 10, 98))
    k = np.exp(-((x[:, None] - x) ** 2) / 2) + 1e-6 * np.eye(98)
    factor = np.round(np.linalg.cholesky(k), 6)
    f = 0.3 + 2 * factor @ rng.standard_normal(98)
    return columns("L", factor) | {"y": (rng.random(98) < sigmoid(f)).astype(int)}


def ordinal(rng):
    n, gaps = 200, 3
    x = correlated(rng, n, 5, 0.4)
    cuts = np.array([-1.5, -0.4, 0.8, 2.0])
    y = (rng.logistic(size=n)[:, None] + (x @ np.array([1.0, -0.7, 0.4, 0.0, 0.3]))[:, None] > cuts).sum(1)  # 0 to 4
    ones = np.arange(gaps)
    below, above = (ones < y[:, None] - 1).astype(int), (ones < np.minimum(y, gaps)[:, None]).astype(int)
    first, last = (y == 0).astype(int), (y == gaps + 1).astype(int)
    own = (above - below) * ((1 - first) * (1 - last))[:, None]
    return columns("X", x) | columns("A", above) | columns("B", below) | columns("G", own) | {"first": first, "last": last}


def volatility(rng):
    days, mu, phi, sigma = 149, -0.5, 0.95, 0.25
    h = np.empty(days)
    h[0] = mu + sigma / np.sqrt(1 - phi**2) * rng.standard_normal()
    for t in range(1, days):
        h[t] = mu + phi * (h[t - 1] - mu) + sigma * rng.standard_normal()
    y = np.round(np.exp(h / 2) * rng.standard_normal(days), 4)
    first = (np.arange(days) == 0).astype(int)
    return columns("E", np.eye(days, dtype=int)) | columns("S", np.eye(days, k=-1, dtype=int)) | {"first": first, "y": y}


def horseshoe(rng):
    x = correlated(rng, 100, 20, 0.3)
    beta = np.zeros(20)
    beta[[2, 7, 11]] = 2, -1, 0.5
    return columns("X", x) | {"y": np.round(x @ beta + rng.standard_normal(100), 4)}


def network(rng):
    x = np.round(np.sort(rng.uniform(-4, 4, 120)), 4)
    y = 0.2 + np.tanh(2 * (x + 1)) - 0.7 * np.tanh(1.5 * (x - 1)) + 0.2 * rng.standard_normal(120)
    return {"x": x, "y": np.round(y, 4)}


MODELS = [
    logistic, poisson, linearknown, linear, robust, eightschools, funnel, hierarchical, itemresponse, gaussianprocess, ordinal,
    volatility, horseshoe, network,
]


def write(name, table):
    values = list(table.values())
    assert len({len(v) for v in values}) == 1, name
    with open(name, "w", newline="\n") as f:
        f.write(",".join(table) + "\n")
        for row in zip(*values):
            f.write(",".join(np.format_float_positional(v, trim="-") for v in row) + "\n")


if __name__ == "__main__":
    for number, model in enumerate(MODELS):
        write(os.path.join(sys.argv[1], model.__name__ + ".csv"), model(np.random.default_rng([13, number])))
