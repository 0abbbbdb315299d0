"""Log-densities of the negative binomial for large r: python3 negbin.py > negbin.tsv (python3-mpmath).

r and s are the very doubles in the table; every value is computed at 60 digits and printed with 25.
"""
from mpmath import mp, mpf, loggamma, log, nstr

mp.dps = 60
print("# x\tr\ts\tlog density; made by negbin.py")
for r in [1e-3, 0.5, 1.7774761608462538, 30.0, 1e4, 1e8, 1e10, 1e12, 1e15]:
    for mean in [0.3, 6.0, 400.0]:
        s = r / (r + mean)
        if s == 1:
            continue
        for x in [0.0, 1.0, 5.0, 25.0, 390.0, 12345.0]:
            R, S, X = mpf(r), mpf(s), mpf(x)
            v = loggamma(X + R) - loggamma(R) - loggamma(X + 1) + X * log(1 - S) + R * log(S)
            print(f"{x:.0f}\t{r!r}\t{s!r}\t{nstr(v, 25)}")
