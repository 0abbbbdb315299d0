// Package special holds the special functions that generated code calls and that package math lacks, or computes too
// inexactly for a gradient check at full precision.
//
// All functions are pure, and nothing here allocates. NaN in gives NaN out, and so does an argument outside the stated
// domain. Accuracies are stated in ulp (units in the last place of the result) and are asserted by the tests against
// tables of 30 correct digits in testdata, which mpmath made at 60 or more:
//
//	python3 testdata/tables.py                         (writes testdata/*.tsv, but for those of the next two)
//	python3 testdata/tables_student.py                 (writes testdata/t{logpdf,cdf,...}.tsv and log1ptwo.tsv)
//	python3 testdata/tables_gammaquantile.py           (writes testdata/gammaquantile{,da}.tsv)
//	python3 testdata/fit.py | gofmt > coefficients.go  (the rational approximations)
//	python3 testdata/fit_gammaquantile.py | gofmt > gammaquantilecoefficients.go
//
// Beside the functions there are types prepared for an argument that stays for many calls (TDistribution, TQuantiles,
// GammaDiffs): these have memory, and answer from tables that they fill as they go.
//
// References to DLMF are to the NIST Digital Library of Mathematical Functions, https://dlmf.nist.gov.
package special
