"""Writes the numbers of the data sets that scikit-learn and statsmodels ship, in the way of export.R: python export.py FOLDER ROWS."""
import importlib.metadata
import pathlib
import re
import sys
import warnings

import numpy as np
import pandas as pd

FEWEST = 20  # rows


def clean(name):
    return re.sub("[^A-Za-z0-9]+", "_", str(name))


def put(folder, most, name, frame, transform=None):
    """A file of the complete rows, if there are enough. A column with one or two values has nothing to fit."""
    frame = frame[np.isfinite(frame).all(axis=1)].head(most)
    if len(frame) < FEWEST or (frame.nunique() < 3).any():
        return
    if transform:
        frame = transform(frame)
    frame = frame.rename(columns=lambda c: re.sub("^([0-9])", r"x\1", c))  # numbers alone would be a row
    frame.to_csv(folder / f"{name}.csv", index=False, float_format="%.15g")


def ranks(frame):
    return frame.rank() / (len(frame) + 1)


def export(folder, most, name, frame):
    frame = frame.select_dtypes("number").astype(float)
    frame.columns = [clean(c) for c in frame.columns]
    frame = frame.loc[:, ~frame.columns.duplicated()]
    for c in frame.columns:
        put(folder, most, f"{name}-1-{c}", frame[[c]])
    different = frame.nunique()
    frame = frame.loc[:, different > 2]
    order = np.argsort(-different[different > 2].to_numpy(), kind="stable")
    for k in (2, 4):
        if frame.shape[1] >= k:
            chosen = frame.iloc[:, sorted(order[:k])]
            put(folder, most, f"{name}-{k}", chosen)
            put(folder, most, f"{name}-u{k}", chosen, ranks)
    if 4 < frame.shape[1] <= 12:
        put(folder, most, f"{name}-all", frame)


def sets():
    from sklearn import datasets as sklearn
    from statsmodels import datasets as statsmodels

    for item in ("breast_cancer", "diabetes", "iris", "linnerud", "wine"):
        yield f"scikit_learn-{item}", getattr(sklearn, f"load_{item}")(as_frame=True).data
    for item in sorted(vars(statsmodels)):
        load = getattr(getattr(statsmodels, item), "load_pandas", None)
        if load and item not in ("danish_data", "co2"):  # these have dates that newer versions of pandas refuse
            yield f"statsmodels-{clean(item)}", load().data


def main():
    warnings.simplefilter("ignore")
    folder, most = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    for name, frame in sets():
        export(folder, most, name, pd.DataFrame(frame))
    with open(folder / "versions.csv", "a", encoding="utf-8") as out:
        for package in ("scikit-learn", "statsmodels"):
            print(f"{package},{importlib.metadata.version(package)}", file=out)


if __name__ == "__main__":
    main()
