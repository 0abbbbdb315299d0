package dense

import "math"

// expCell is 2^(j/expCells) for one j of 0 to expCells-1.
type expCell struct {
	// Of the value rounded to a float64 these are the bits less j << expShift: the same shift moves the number of whole
	// steps to the exponent.
	bits uint64
	// low is what the rounding took off, relative to the value: without it the result would be off by another half ulp.
	low float64
}

const (
	expBits  = 6
	expCells = 1 << expBits
	expShift = 52 - expBits
	// expStepHigh + expStepLow is log(2)/expCells; products of expStepHigh and whole numbers up to 2^17 are exact.
	expStepHigh = 0x1.62e42fefc0000p-7
	expStepLow  = -0x1.c610ca86c3899p-43
	// toWhole is so large that adding it rounds to a whole number, whose lowest bits are then those of the sum.
	toWhole = 0x1.8p52
	// expEnd holds the bits of -1022 log(2), rounded towards 0: below, the exponential is no normal number. Negative
	// numbers have the larger bits the smaller they are.
	expEnd = 0xc086232bdd7abcd2
	// expFourth is the coefficient of r^4, which takes over most of r^6/720: r^6 - 0.895 h^2 r^4 is as near to 0 as can be
	// for |r| up to h = log(2)/(2 expCells).
	expFourth = 1.0/24 + 0.895/720*(math.Ln2/(2*expCells))*(math.Ln2/(2*expCells))
)

// expNonpositive returns exp(x) for x <= 0, also -Inf, to 0.6 ulp, and exactly 1 at 0. Where it would be below the
// least normal number, 2^-1022, it is 0. Of NaN nothing useful comes.
//
// With n = x expCells/log(2), rounded, and |r| <= log(2)/(2 expCells) it is 2^(n/expCells) exp(r): the power is in the
// table, and the rest is a polynomial of degree 5 (Tang 1989, Table-driven implementation of the exponential function
// in IEEE floating-point arithmetic). There is no branch, so that it costs the same whatever comes, and in whatever order.
func expNonpositive(x float64) float64 {
	n := x*(expCells/math.Ln2) + toWhole
	whole := math.Float64bits(n)
	n -= toWhole
	r := (x - n*expStepHigh) - n*expStepLow
	cell := &expTable[whole%expCells]
	power := math.Float64frombits(cell.bits + whole<<expShift)
	s := r * r
	rest := (cell.low + r) + s*((1.0/2+r*(1.0/6))+s*(expFourth+r*(1.0/120)))
	y := math.Float64bits(power + power*rest)
	if math.Float64bits(x) > expEnd {
		y = 0
	}
	return math.Float64frombits(y)
}

// expTable has the powers; TestExpTable computes them again.
var expTable = [expCells]expCell{
	{0x3ff0000000000000, 0}, {0x3fefec9a3e778061, -0x1.160139cd8dc5dp-56},
	{0x3fefd9b0d3158574, 0x1.cd2523567f613p-55}, {0x3fefc74518759bc8, 0x1.0f74e61e6c861p-57},
	{0x3fefb5586cf9890f, 0x1.79aa65d837b6cp-54}, {0x3fefa3ec32d3d1a2, 0x1.ebe3d702f9cd1p-60},
	{0x3fef9301d0125b51, -0x1.556522a2fbd0ep-54}, {0x3fef829aaea92de0, -0x1.1c923b9d5f416p-54},
	{0x3fef72b83c7d517b, -0x1.01b15eaa59348p-55}, {0x3fef635beb6fcb75, 0x1.b898c3f1353bfp-55},
	{0x3fef54873168b9aa, 0x1.aecf73e3a2f5fp-54}, {0x3fef463b88628cd6, 0x1.a6f4144a6c38cp-55},
	{0x3fef387a6e756238, 0x1.68efde3a8a893p-54}, {0x3fef2b4565e27cdd, 0x1.0472b981fe7f2p-55},
	{0x3fef1e9df51fdee1, 0x1.2f7e16d09ab31p-55}, {0x3fef1285a6e4030b, 0x1.b3782720c0ab3p-55},
	{0x3fef06fe0a31b715, 0x1.34d754db0abb6p-55}, {0x3feefc08b26416ff, 0x1.fdd395dd3f84ap-55},
	{0x3feef1a7373aa9cb, -0x1.24aedcc4b5069p-54}, {0x3feee7db34e59ff7, -0x1.1d1e83e9436d2p-56},
	{0x3feedea64c123422, 0x1.59f48a72a4c6cp-55}, {0x3feed60a21f72e2a, -0x1.8a78f4817895bp-58},
	{0x3feece086061892d, 0x1.363ed60c2ac11p-59}, {0x3feec6a2b5c13cd0, 0x1.ecce1daa10379p-57},
	{0x3feebfdad5362a27, 0x1.690cebb7aafb0p-56}, {0x3feeb9b2769d2ca7, -0x1.f94340071a38fp-55},
	{0x3feeb42b569d4f82, -0x1.8dec6bd0f3860p-56}, {0x3feeaf4736b527da, 0x1.3350518fdd78dp-54},
	{0x3feeab07dd485429, 0x1.063e1e21c5409p-54}, {0x3feea76f15ad2148, 0x1.432e62b64c035p-54},
	{0x3feea47eb03a5585, -0x1.c33c53bef4da8p-55}, {0x3feea23882552225, -0x1.3cedd78565858p-54},
	{0x3feea09e667f3bcd, -0x1.3b3efbf5e2229p-54}, {0x3fee9fb23c651a2f, -0x1.367efb86da9eep-57},
	{0x3fee9f75e8ec5f74, -0x1.81f647e5a3ecfp-56}, {0x3fee9feb564267c9, -0x1.619321e55e68ap-55},
	{0x3feea11473eb0187, -0x1.b32dcb94da51dp-56}, {0x3feea2f336cf4e62, 0x1.5ebe1abd66c55p-57},
	{0x3feea589994cce13, -0x1.369b6f13b3734p-54}, {0x3feea8d99b4492ed, -0x1.4d450d872576ep-54},
	{0x3feeace5422aa0db, 0x1.db72fc1f0eab4p-55}, {0x3feeb1ae99157736, 0x1.bf68359f35f44p-56},
	{0x3feeb737b0cdc5e5, -0x1.da9b88b6c1e29p-58}, {0x3feebd829fde4e50, -0x1.2434322f4f9aap-54},
	{0x3feec49182a3f090, 0x1.1affc2b91ce27p-56}, {0x3feecc667b5de565, -0x1.7c50422622263p-55},
	{0x3feed503b23e255d, -0x1.1bbd1d3bcbb15p-54}, {0x3feede6b5579fdbf, 0x1.469846e735ab3p-55},
	{0x3feee89f995ad3ad, 0x1.c1a7792cb3386p-55}, {0x3feef3a2b84f15fb, -0x1.5c3d956dcaebap-58},
	{0x3feeff76f2fb5e47, -0x1.8d6f438ad9334p-57}, {0x3fef0c1e904bc1d2, 0x1.4ffd70a5fddcdp-56},
	{0x3fef199bdd85529c, 0x1.36eae30af0cb3p-56}, {0x3fef27f12e57d14b, 0x1.4e08fd10959acp-55},
	{0x3fef3720dcef9069, 0x1.76b2c6c921968p-57}, {0x3fef472d4a07897c, -0x1.fad5d3ffffa6fp-55},
	{0x3fef5818dcfba487, 0x1.4a385a63d07a7p-56}, {0x3fef69e603db3285, 0x1.e5a50d5c192acp-55},
	{0x3fef7c97337b9b5f, -0x1.2d52107b43e1fp-55}, {0x3fef902ee78b3ff6, 0x1.4b604603a88d3p-56},
	{0x3fefa4afa2a490da, -0x1.ff7128fd391f1p-55}, {0x3fefba1bee615a27, 0x1.ec3bc41aa2008p-55},
	{0x3fefd0765b6e4540, 0x1.a64a931d185edp-55}, {0x3fefe7c1819e90d8, 0x1.7893b4d91cd9cp-56},
}
