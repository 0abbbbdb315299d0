package vector

// GammaTable is what the differences of lgamma and digamma from an argument r need: from r some Steps of the recurrence lead up to Top.
// Kernels read it as it lies in memory.
type GammaTable struct {
	Steps, Top         float64
	Inverse, LogTop    float64 // of Top
	LogBelow, SumBelow float64 // the logarithm of r(r+1)...(Top-1), and the sum of the inverses of these factors
	// The terms of the asymptotic series at Top but for those with a logarithm.
	LgammaTop, DigammaTop float64
	// The differences for whole numbers up to 16. That of 0 is 0.
	Lgammas, Digammas [17]float64
}

// otherGamma is the bit that the kernel sets for a number that it knows nothing of.
const otherGamma = 32

// Diffs writes lgamma(x+r) - lgamma(r) and digamma(x+r) - digamma(r), one of which may be nil: those of whole numbers up to 16 as the table has
// them, and for larger finite numbers by the asymptotic series, to 4 units in the last place. It returns which whole numbers there were, a bit each but
// for 0, and whether there were other numbers, of which what it writes means nothing. x must not be what is written.
func (g *GammaTable) Diffs(lgamma, digamma, x []float64) (seen uint32, other bool) {
	for len(x) > 0 {
		n := min(block, len(x))
		var all [8]uint64
		switch {
		case digamma == nil:
			lgammaDiffOf(&lgamma[:n][0], &x[0], &g.Steps, &all[0], n)
		case lgamma == nil:
			digammaDiffOf(&digamma[:n][0], &x[0], &g.Steps, &all[0], n)
		default:
			lgammaDigammaDiffOf(&lgamma[:n][0], &digamma[:n][0], &x[0], &g.Steps, &all[0], n)
		}
		for _, v := range all {
			seen |= uint32(v) &^ 1
			other = other || v>>otherGamma != 0
		}
		lgamma, digamma, x = behind(lgamma, n), behind(digamma, n), x[n:]
	}
	return seen, other
}

// behind is what follows n numbers of a slice that may be nil.
func behind(x []float64, n int) []float64 {
	if x == nil {
		return nil
	}
	return x[n:]
}

// Powers is how many coefficients a series has, the constant one among them.
const Powers = 14

// Series writes the values of three power series at x less a middle. There are many cells, of so many numbers each: for each power, from the constant
// on, a coefficient of each of the series and another number, of which the first is the middle, and the others, which are finite, are of no account; that of x_i is
// number cells_i. All slices are as long as x, and none is x. A cell that is
// not there makes a panic.
func Series(first, second, third, x []float64, cells []int32, table []float64, size int) {
	first, second, third, cells = first[:len(x)], second[:len(x)], third[:len(x)], cells[:len(x)]
	if size < 4*Powers {
		panic("vector: a cell does not have the numbers of its series")
	}
	count := len(table) / size
	for _, k := range cells {
		if uint(k) >= uint(count) {
			panic("vector: there is no such cell")
		}
	}
	for len(x) > 0 {
		n := min(block, len(x))
		series(&first[0], &second[0], &third[0], &x[0], &cells[0], &table[0], 8*size, n)
		first, second, third, x, cells = first[n:], second[n:], third[n:], x[n:], cells[n:]
	}
}
