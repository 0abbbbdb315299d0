"""Writes the files of this folder by pyarrow, and what they hold by Python's own csv module.

    python3 testdata/fixtures.py cmd/sngdgen-arrow/testdata

Versions are in versions.txt."""

import csv
import datetime
import decimal
import struct
import sys

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

rows = [
    # n, x, single, ok, label, kind, day, time, price, v, s
    (1, 0.1, 0.1, True, "a, b", "u", datetime.date(2020, 1, 2), datetime.datetime(2020, 1, 2, 3, 4, 5), "1.50", [1.5, 2], (1, "x")),
    (None, float("inf"), 2.0, False, 'c "d"', "v", None, None, None, None, None),
    (3, 1e300, None, None, None, "u", datetime.date(1999, 12, 31), datetime.datetime(1970, 1, 1), "-2.25", [5, None], (None, "z")),
    (-32768, 5e-324, -1e-40, True, "", None, datetime.date(1, 1, 1), datetime.datetime(2262, 4, 11), "0.01", [-0.5, 1e-7], (9, None)),
]
names = ["n", "x", "single", "ok", "label", "kind", "day", "time", "price", "v", "s"]
columns = dict(zip(names, map(list, zip(*rows))))
table = pa.table({
    "n": pa.array(columns["n"], pa.int16()),
    "x": pa.array(columns["x"]),
    "single": pa.array(columns["single"], pa.float32()),
    "ok": pa.array(columns["ok"]),
    "label": pa.array(columns["label"]),
    "kind": pa.array(columns["kind"]).dictionary_encode(),
    "day": pa.array(columns["day"]),
    "time": pa.array(columns["time"], pa.timestamp("us")),
    "price": pa.array([None if p is None else decimal.Decimal(p) for p in columns["price"]], pa.decimal128(10, 2)),
    "v": pa.array(columns["v"], pa.list_(pa.float64(), 2)),
    "s": pa.array([None if s is None else {"a": s[0], "b": s[1]} for s in columns["s"]]),
})

folder = sys.argv[1] + "/"
pa.parquet.write_table(table, folder + "zstd.parquet", compression="zstd", row_group_size=3)
pa.parquet.write_table(table, folder + "snappy.parquet", version="1.0", compression="snappy")
pa.parquet.write_table(table, folder + "plain.parquet", compression="gzip", use_dictionary=False, data_page_version="2.0")
pa.feather.write_feather(table, folder + "lz4.feather", compression="lz4", chunksize=3)
pa.feather.write_feather(table, folder + "zstd.arrow", compression="zstd")
with pa.OSFile(folder + "stream.arrows", "wb") as f, pa.ipc.new_stream(f, table.schema) as w:
    w.write_table(table, max_chunksize=2)
with pa.OSFile(folder + "sliced.arrow", "wb") as f, pa.ipc.new_file(f, table.schema) as w:  # pieces that begin within their memory
    for batch in pa.concat_tables([table, table]).combine_chunks().slice(1, 5).to_batches():
        w.write_batch(batch)
pa.parquet.write_table(pa.table({"x": [[1, 2], [3]]}), folder + "lists.parquet")
pa.parquet.write_table(pa.table({"x": [[1, 2], [3]], "n": [1, 2]}), folder + "mixed.parquet")
pa.parquet.write_table(pa.table({"x": pa.array([], pa.float64())}), folder + "empty.parquet")


def cell(v):
    if v is None:
        return "NA"
    if isinstance(v, bool):
        return int(v)
    if isinstance(v, datetime.date) and not isinstance(v, datetime.datetime):
        return v.isoformat()
    return v


def flat(r):
    single = None if r[2] is None else struct.unpack("f", struct.pack("f", r[2]))[0]
    v = r[9] or [None, None]
    s = r[10] or (None, None)
    return [cell(c) for c in (r[0], r[1], single, *r[3:7], r[7] and r[7].isoformat(), r[8], *v, *s)]


for name, part in (("all", rows), ("sliced", (rows + rows)[1:6])):
    with open(folder + name + ".csv", "w", newline="") as f:
        w = csv.writer(f, lineterminator="\n")
        w.writerow(names[:9] + ["v[1]", "v[2]", "s.a", "s.b"])
        w.writerows(flat(r) for r in part)
with open(folder + "versions.txt", "w") as f:
    f.write(f"Python {sys.version.split()[0]}, pyarrow {pa.__version__}, {datetime.date.today()}\n")
