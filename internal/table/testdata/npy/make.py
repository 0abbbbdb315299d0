"""Writes the arrays of npy_test.go by NumPy itself: python make.py, in this folder."""
import numpy as np

x = np.array([[1.5, -2, 1e-300], [0.1, 3, 1 / 3]])
np.save("f8.npy", x)
np.save("f8_fortran.npy", np.asfortranarray(x))
np.save("f8_big.npy", x.astype(">f8"))
np.save("f4.npy", x[:, :2].astype("f4"))
np.save("i2.npy", np.array([-300, 7, 12], "i2"))
np.save("u8.npy", np.array([2**53 + 2, 0], "u8"))
np.save("bool.npy", np.array([True, False, True]))
np.save("missing.npy", np.array([1.0, np.nan, 3.0]))
np.save("cube.npy", np.zeros((2, 2, 2)))
np.save("words.npy", np.array(["a", "b"]))
with open("version2.npy", "wb") as f:
    np.lib.format.write_array(f, x, version=(2, 0))

# Structured arrays: names that have to be quoted, padding, both byte orders, bytes; and what a cell cannot be.
fields = [("it's", "<f8"), ('a "b"', ">i2"), ("é\\", "S4"), ("n", "u1")]
rows = [(1.5, -300, b"ab", 7), (float("-0.25"), 12, b"3.5", 255)]
np.save("fields.npy", np.array(rows, fields))
np.save("padded.npy", np.array(rows, np.dtype(fields, align=True)))
np.save("nested.npy", np.zeros(2, [("v", "f8", (3,))]))
np.save("objects.npy", np.array([(1.5, "é")], [("x", "f8"), ("s", "U3")]))
with open("chain.npys", "wb") as f:  # arrays one after the other, whose texts have other lengths
    for some in ([(1, b"one")], [], [(2, b"three"), (3, b"NA")]):
        longest = max([len(s) for _, s in some] + [1])
        np.save(f, np.array(some, [("x", "i8"), ("s", f"S{longest}")]))
