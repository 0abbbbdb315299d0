package special

import (
	"math/bits"

	"github.com/sngdgen/sngdgen/runtime/vector"
)

// What has been prepared computes for all numbers of a slice, as functions do: see slices.go. Accuracies are those of the methods.

// LgammaDiffs writes g.Lgamma(x).
func LgammaDiffs(dst, x []float64, g *GammaDiffs) {
	if !g.inBlocks() {
		for i, v := range x[:len(dst)] {
			dst[i] = g.Lgamma(v)
		}
		return
	}
	g.inParts(dst, nil, x)
}

// DigammaDiffs writes g.Digamma(x).
func DigammaDiffs(dst, x []float64, g *GammaDiffs) {
	if !g.inBlocks() {
		for i, v := range x[:len(dst)] {
			dst[i] = g.Digamma(v)
		}
		return
	}
	g.inParts(nil, dst, x)
}

// LgammaDigammaDiffs writes what g.LgammaDigamma(x) returns, to the bit as LgammaDiffs and DigammaDiffs do.
func LgammaDigammaDiffs(lgamma, digamma, x []float64, g *GammaDiffs) {
	digamma = digamma[:len(lgamma)]
	if !g.inBlocks() {
		for i, v := range x[:len(lgamma)] {
			lgamma[i], digamma[i] = g.LgammaDigamma(v)
		}
		return
	}
	g.inParts(lgamma, digamma, x)
}

// together is how many numbers are taken together where what they are has to be kept: they may be overwritten.
const together = 64

// inBlocks reports whether there are kernels for what has been prepared.
func (g *GammaDiffs) inBlocks() bool { return g.prepared && vector.On() }

// inParts computes the differences that are not nil.
func (g *GammaDiffs) inParts(lgamma, digamma, x []float64) {
	n := max(len(lgamma), len(digamma))
	for from := 0; from < n; from += together {
		to := min(from+together, n)
		g.part(portion(lgamma, from, to), portion(digamma, from, to), x[from:to])
	}
}

// portion is a part of a slice that may be nil.
func portion(x []float64, from, to int) []float64 {
	if x == nil {
		return nil
	}
	return x[from:to]
}

// part computes the differences of a few numbers. The kernel says which counts there were, and whether there was what is neither a count nor far.
func (g *GammaDiffs) part(lgamma, digamma, x []float64) {
	kept := g.numbers[:len(x)]
	copy(kept, x)
	seen, other := g.table.Diffs(lgamma, digamma, kept)
	if missing := seen &^ g.known; missing != 0 {
		for ; missing != 0; missing &= missing - 1 {
			g.keep(bits.TrailingZeros32(missing))
		}
		g.table.Diffs(lgamma, digamma, kept)
	}
	if !other {
		return
	}
	for i, v := range kept {
		if count(v) >= 0 || g.isFar(v) {
			continue
		}
		switch {
		case digamma == nil:
			lgamma[i] = LgammaDiff(v, g.r)
		case lgamma == nil:
			digamma[i] = DigammaDiff(v, g.r)
		default:
			lgamma[i], digamma[i] = LgammaDigammaDiff(v, g.r)
		}
	}
}

// TLogPDFs writes t.LogPDF(x).
func TLogPDFs(dst, x []float64, t *TDistribution) {
	x = x[:len(dst)]
	if !vector.On() || !(t.nu <= tableTo) {
		for i, v := range x {
			dst[i] = t.LogPDF(v)
		}
		return
	}
	for len(dst) > 0 {
		n := min(together, len(dst))
		t.logPDFs(dst[:n], x[:n])
		dst, x = dst[n:], x[n:]
	}
}

// logPDFs computes the log-densities of a few numbers.
func (t *TDistribution) logPDFs(dst, x []float64) {
	kept := t.of[:len(x)]
	far := uint64(0) // which squares are too large
	for i, v := range x {
		kept[i] = v
		s := v * v / t.nu
		if dst[i] = s; !(s < 1e300) {
			far |= 1 << i
		}
	}
	vector.Log1p(dst, dst)
	half := 0.5 * (t.nu + 1)
	for i, v := range dst {
		dst[i] = t.constant - half*v
	}
	for ; far != 0; far &= far - 1 {
		i := bits.TrailingZeros64(far)
		dst[i] = TLogPDF(kept[i], t.nu)
	}
}

// TLogCDFs writes t.LogCDF(x).
func TLogCDFs(dst, x []float64, t *TDistribution) {
	if !vector.On() {
		for i, v := range x[:len(dst)] {
			dst[i] = t.LogCDF(v)
		}
		return
	}
	t.inParts(dst, nil, nil, x)
}

// TRatios writes t.Ratio(x).
func TRatios(dst, x []float64, t *TDistribution) {
	if !vector.On() {
		for i, v := range x[:len(dst)] {
			dst[i] = t.Ratio(v)
		}
		return
	}
	t.inParts(nil, dst, nil, x)
}

// TLogCDFDNus writes t.LogCDFDNu(x).
func TLogCDFDNus(dst, x []float64, t *TDistribution) {
	if !vector.On() {
		for i, v := range x[:len(dst)] {
			dst[i] = t.LogCDFDNu(v)
		}
		return
	}
	t.inParts(nil, nil, dst, x)
}

// TLogCDFRatios writes what t.LogCDFRatio(x) returns.
func TLogCDFRatios(log, ratio, x []float64, t *TDistribution) {
	ratio = ratio[:len(log)]
	if !vector.On() {
		for i, v := range x[:len(log)] {
			log[i], ratio[i] = t.LogCDFRatio(v)
		}
		return
	}
	t.inParts(log, ratio, nil, x)
}

// TRatioDNus writes what t.RatioDNu(x) returns.
func TRatioDNus(ratio, dnu, x []float64, t *TDistribution) {
	dnu = dnu[:len(ratio)]
	if !vector.On() {
		for i, v := range x[:len(ratio)] {
			ratio[i], dnu[i] = t.RatioDNu(v)
		}
		return
	}
	t.inParts(nil, ratio, dnu, x)
}

// TLogCDFRatioDNus writes what t.LogCDFRatioDNu(x) returns.
func TLogCDFRatioDNus(log, ratio, dnu, x []float64, t *TDistribution) {
	ratio, dnu = ratio[:len(log)], dnu[:len(log)]
	if !vector.On() {
		for i, v := range x[:len(log)] {
			log[i], ratio[i], dnu[i] = t.LogCDFRatioDNu(v)
		}
		return
	}
	t.inParts(log, ratio, dnu, x)
}

// inParts computes what is not nil.
func (t *TDistribution) inParts(log, ratio, dnu, x []float64) {
	n := max(len(log), len(ratio), len(dnu))
	for from := 0; from < n; from += together {
		to := min(from+together, n)
		t.part(portion(log, from, to), portion(ratio, from, to), portion(dnu, from, to), x[from:to])
	}
}

// part computes the functions of a few numbers: all three series of their cells, what the steep ones among them are divided by, and those without
// a cell one by one.
func (t *TDistribution) part(log, ratio, dnu, x []float64) {
	kept := t.of[:len(x)]
	copy(kept, x)
	steep, direct := t.place(kept)
	logs, ratios, dnus := orAside(log, &t.logs, len(x)), orAside(ratio, &t.ratios, len(x)), orAside(dnu, &t.dnus, len(x))
	vector.Series(logs, ratios, dnus, kept, t.places[:len(x)], t.numbers[:], cellNumbers)
	t.undivided(steep, logs, ratios, dnus)
	if dnu != nil && t.fade != 1 {
		for i := range dnus {
			dnus[i] *= t.fade
		}
	}
	for ; direct != 0; direct &= direct - 1 {
		i := bits.TrailingZeros64(direct)
		switch v := kept[i]; {
		case dnu == nil && ratio == nil:
			logs[i] = TLogCDF(v, t.nu)
		case dnu == nil && log == nil:
			ratios[i] = TRatio(v, t.nu)
		case dnu == nil:
			logs[i], ratios[i] = TLogCDFRatio(v, t.nu)
		case log == nil && ratio == nil:
			dnus[i] = TLogCDFDNu(v, t.nu)
		case log == nil:
			ratios[i], dnus[i] = TRatioDNu(v, t.nu)
		default:
			logs[i], ratios[i], dnus[i] = TLogCDFRatioDNu(v, t.nu)
		}
	}
}

// orAside is where a result goes: to memory that nobody reads where it is not wanted.
func orAside(result []float64, aside *[together]float64, n int) []float64 {
	if result == nil {
		return aside[:n]
	}
	return result
}

// undivided makes the functions of what the series of steep cells are, of which there is a bit each.
func (t *TDistribution) undivided(steep uint64, logs, ratios, dnus []float64) {
	n := 0
	for left := steep; left != 0; left &= left - 1 {
		t.exps[n] = logs[bits.TrailingZeros64(left)]
		n++
	}
	vector.Exp(t.exps[:n], t.exps[:n])
	n = 0
	for left := steep; left != 0; left &= left - 1 {
		i := bits.TrailingZeros64(left)
		log := t.at(uint(t.places[i])).size() * t.exps[n]
		logs[i] = log
		ratios[i] *= log
		dnus[i] *= log
		n++
	}
}

// place finds the cells of a few numbers, and fills them. It returns which are divided by log F, and which numbers have no cell, a bit each: in most samples
// nobody could guess which, so that there is no branch.
func (t *TDistribution) place(x []float64) (steep, direct uint64) {
	var empty uint64
	start, scale, to := t.start, t.scale, t.steep // the loop would read them again and again, as it writes to the same struct
	places := t.places[:len(x)]
	for i := len(x) - 1; i >= 0; i-- { // bits of the first are the last to come
		v := x[i]
		k := octaveCellOf(start, scale, v) // not cellOf, which is no part of this loop but a call
		if v >= to {
			k = t.steepCellOf(v)
		}
		places[i] = int32(k)
		kind := uint64(t.kinds[k])
		empty = empty<<1 | kind&1 ^ 1 // emptyCell
		steep = steep<<1 | kind>>1&1
		direct = direct<<1 | kind>>2
	}
	if empty == 0 {
		return steep, direct
	}
	for ; empty != 0; empty &= empty - 1 {
		t.ready(uint(t.places[bits.TrailingZeros64(empty)]))
	}
	return t.place(x)
}
