// Package special holds the special functions that generated code calls and that package math lacks, or computes too
// inexactly for a gradient check at full precision.
//
// All functions are pure, and nothing here allocates. NaN in gives NaN out, and so does an argument outside the stated
// domain. Accuracies are stated in ulp (units in the last place of the result) and are asserted by the tests against
// tables of 30 correct digits in testdata, which mpmath made at 60 or more:
//
//	python3 testdata/tables.py                         (writes testdata/*.tsv, but for those of the next two)
//	python3 testdata/tables_student.py                 (writes testdata/t{logpdf,cdf,...}.tsv, {log1p,exp}two.tsv)
//	python3 testdata/tables_gammaquantile.py           (writes testdata/gammaquantile{,da}.tsv)
//	python3 testdata/fit.py | gofmt > coefficients.go  (the rational approximations)
//	python3 testdata/fit_gammaquantile.py | gofmt > gammaquantilecoefficients.go
//	python3 testdata/fit_bessel.py | gofmt > besselcoefficients.go
//	python3 testdata/fit_words.py | gofmt > wordscoefficients.go
//
// Where many roundings meet, or a rounding error is multiplied, numbers are in two words (twowords.go, logtwo.go, exptwo.go):
// the last step of a quantile, tails and their factors, exponentials of large numbers. The bounds are those of searches of
// 30,000 to 150,000 random points a function, next to borders of formulas and in all tails; testdata/hard.tsv has the worst.
//
// Beside the functions there are types prepared for an argument that stays for many calls (TDistribution, TQuantiles,
// GammaDiffs): these have memory, and answer from tables that they fill as they go.
//
// References to DLMF are to the NIST Digital Library of Mathematical Functions, https://dlmf.nist.gov.
package special
