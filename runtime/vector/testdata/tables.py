#!/usr/bin/env python3
"""Writes the tables of accuracy of package vector with mpmath: exact arguments, and values to 30 digits."""
import math
import random
from pathlib import Path

import mpmath as mp

mp.mp.dps = 360
here = Path(__file__).parent


def write(name, f, points):
    with open(here / f"{name}.tsv", "w") as out:
        for x in sorted(set(points)):
            out.write(f"{x.hex()}\t{mp.nstr(f(mp.mpf(x)), 30, min_fixed=1, max_fixed=0)}\n")


def near(x, steps=3):
    out = [x]
    for sign in (-math.inf, math.inf):
        y = x
        for _ in range(steps):
            y = math.nextafter(y, sign)
            out.append(y)
    return out


rng = random.Random(1)
ln2 = math.log(2)

points = [rng.uniform(-745.2, 709.79) for _ in range(1500)] + [rng.uniform(-1, 1) for _ in range(1500)]
points += [rng.uniform(-745.1, -708.3) for _ in range(300)] + [s * 10 ** rng.uniform(-20, 0) for s in (-1, 1) for _ in range(200)]
for k in list(range(-1074, 1024, 31)) + [-1075, 1023]:  # where the whole number changes, and where it is exact
    points += near(k * ln2, 1) + near((k + 0.5) * ln2, 1)
points += near(709.782712893384) + near(-708.3964185322641) + near(-745.1332191019412)
write("exp", mp.exp, [x for x in points if -745.2 < x <= 709.782712893384])

points = [rng.uniform(0.5, 2) for _ in range(2000)] + [2.0 ** rng.uniform(-1022, 1024) for _ in range(800)]
points += [rng.uniform(0, 2**-1022) for _ in range(200)] + [5e-324, 2.0**-1022, 1.7976931348623157e308]
points += [1 + s * 2.0**-k for s in (-1, 1) for k in range(1, 53)]
for x in (0.75, 1.5, 3.0, 0.375, 1.0, math.sqrt(2), math.sqrt(0.5), 2.0, 0.5):
    points += near(x, 8)
write("log", mp.log, [x for x in points if x > 0])

points = [rng.uniform(-2, 2) for _ in range(2000)] + [rng.uniform(-40, 709.7) for _ in range(500)]
points += [s * 10 ** rng.uniform(-20, 0) for s in (-1, 1) for _ in range(300)]
for k in range(-5, 1024, 13):
    points += near(k * ln2, 1) + near((k + 0.5) * ln2, 1)
write("expm1", mp.expm1, [x for x in points if x <= 709.782712893384])

points = [rng.uniform(-1, 3) for _ in range(2500)] + [2.0 ** rng.uniform(-60, 1024) for _ in range(500)]
points += [s * 10 ** rng.uniform(-20, 0) for s in (-1, 1) for _ in range(300)] + [2.0**-k - 1 for k in range(1, 53)]
for x in (-0.25, 0.5, 2.0, -0.625, 1.0):
    points += near(x, 8)
write("log1p", mp.log1p, [x for x in points if x > -1])

points = [rng.uniform(-40, 40) for _ in range(2000)] + [rng.uniform(-2, 2) for _ in range(700)] + [rng.uniform(-745, 745) for _ in range(500)]
points += [s * 10 ** rng.uniform(-20, 0) for s in (-1, 1) for _ in range(100)]
write("sigmoid", lambda x: mp.exp(x) / (1 + mp.exp(x)) if x < 0 else 1 / (1 + mp.exp(-x)), points)
write("softplus", lambda x: mp.log1p(mp.exp(x)) if x < 0 else x + mp.log1p(mp.exp(-x)), points)

root2 = mp.sqrt(2)
tail = lambda t: mp.erfc(t / root2) / 2  # of the normal distribution, right of t
density = lambda x: mp.exp(-x * x / 2) / mp.sqrt(2 * mp.pi)
points = [rng.uniform(-10, 10) for _ in range(1500)] + [rng.uniform(-4, 4) for _ in range(700)] + [rng.uniform(-40, 38.4) for _ in range(500)]
points += [s * 10 ** rng.uniform(-20, 0) for s in (-1, 1) for _ in range(100)] + [-(10 ** rng.uniform(1, 150)) for _ in range(100)] + near(0.6744897501960817, 8)
write("logndtr", lambda x: mp.log(tail(-x)) if x < 0 else mp.log1p(-tail(x)), [x for x in points if x > -1e5])
write("ndtrratio", lambda x: density(x) / tail(-x), [x for x in points if x > -1e5])
