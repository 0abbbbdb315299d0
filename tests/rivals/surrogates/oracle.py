"""Writes data sets that statsmodels and lifelines ship: python oracle.py FOLDER."""

import importlib
import os
import sys

from lifelines.datasets import load_rossi


def shipped(name):
    return importlib.import_module("statsmodels.datasets." + name).load_pandas().data


SETS = {
    "randhie": lambda: shipped("randhie"),
    "engel": lambda: shipped("engel").rename(columns={"FOODEXP": "foodexp", "INCOME": "income"}),
    "fair": lambda: shipped("fair").assign(any=lambda d: (d["affairs"] > 0).astype(int)),
    "rossi": load_rossi,
}

for name, make in SETS.items():
    make().dropna().to_csv(os.path.join(sys.argv[1], name + ".csv"), index=False)
