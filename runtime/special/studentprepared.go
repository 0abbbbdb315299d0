package special

import "math"

// TDistribution is the standard Student-t distribution with degrees of freedom that stay for many calls: a prepared
// distribution. Prepare sets them; the methods then return what the functions do that they are named after, but for a few
// last bits, in a tenth of the time: log-densities to 3 ulp, the distribution function's logarithm and its ratio to 4, the
// derivative in nu to 10.
//
// The methods fill a table as they go, where they are called: four tenths of a microsecond for each of the 50 to 70
// cells that most samples lie in. What they return does not depend on which cells were filled before. Beyond the table,
// and for nu below 1/8, they call the functions.
//
// It is large (636 kB): it belongs in a longer-lived struct, not on a stack, and must not be used concurrently. The zero
// value has no degrees of freedom yet, and gives NaN.
type TDistribution struct {
	numbers  [(allCells + 1) * cellNumbers]float64 // in front, so that no vector of four lies in two lines of the cache
	nu       float64
	tabled   float64 // the degrees of freedom of the table: nu, or tableTo beyond it
	fade     float64 // dF/dnu in units of that of the table
	start    float64 // 1, or 0 without a table
	scale    float64 // start + scale |x| is what the cells divide
	steep    float64 // where F comes to 1 so steeply that cells of another kind serve: steepX, or nowhere
	fallen   float64 // fall(steep)
	constant float64 // the log-density at 0
	filled   float64 // the degrees of freedom that cells are filled for
	kinds    [allCells + 1]cellKind

	// What slices are of, their cells, results that nobody asks for, and exponentials.
	of, logs, ratios, dnus, exps [together]float64
	places                       [together]int32
}

// What a cell has: the coefficients of its three series, those of one power together; and behind those of the first powers its middle, and what the series are divided
// by, or 0.
const (
	cellStep     = 4
	cellMiddleAt = 3
	cellSizeAt   = cellMiddleAt + cellStep
	cellNumbers  = cellStep * order
)

type cellSeries [cellNumbers]float64

// cellKind says what the series of a cell are, in bits.
type cellKind uint8

// A cell is empty, or it has one of the other bits as well as the first.
const (
	emptyCell cellKind = 0b000
	plainCell cellKind = 0b001
	steepCell cellKind = 0b011 // divided by log F
	noCell    cellKind = 0b101 // none
)

// The series of a cell.
const (
	logSeries = iota
	ratioSeries
	dnuSeries
)

func (c *cellSeries) middle() float64 { return c[cellMiddleAt] }

func (c *cellSeries) size() float64 { return c[cellSizeAt] }

// at is the value of a series.
func (c *cellSeries) at(which int, x float64) float64 {
	return strided((*[cellNumbers - 3]float64)(c[which:]), x)
}

// The cells on both sides of 0: 16 to each octave of 1 + v/2, where v is |x| up to a factor that keeps the singularities
// +-i sqrt(nu) eighteen widths away, up to v = 2^29: rows far from a steep
// slope lie there, as those of a fit that crawls along a plateau, or on its way to a half-t distribution, do. The one next to 0 is symmetrical about 0, where d log F/d nu crosses 0.
const (
	cellBits = 4
	cells    = 28 << cellBits
	far      = 20 // where log F falls steeply, on the right: v = 3
)

// Far to the right of a distribution with many degrees of freedom 1 - F falls by more within such a cell than a series can follow. From steepX on there are cells
// within which the density falls by the factor exp(steepFall).
const (
	steepX     = 6
	steepNu    = 24
	steepFall  = 1
	steepCells = 512
	allCells   = 2*cells + steepCells
)

// The degrees of freedom that tables are for, and the least calls.
const (
	tableFrom  = 0.125
	tableTo    = 1e60
	tableCalls = 250
)

// Prepare sets the degrees of freedom, for about so many calls: few do not deserve a table. The table is kept as long as
// nu is the same.
func (t *TDistribution) Prepare(nu float64, calls int) {
	if nu != t.nu {
		t.nu, t.constant = nu, TLogPDF(0, nu)
	}
	t.start, t.scale, t.tabled, t.fade = 0, 0, nu, 1
	if nu > tableTo { // F is that of a normal distribution but for less than the last bit, and dF/dnu is proportional to 1/nu^2
		t.tabled, t.fade = tableTo, (tableTo/nu)*(tableTo/nu)
	}
	if calls >= tableCalls && nu >= tableFrom {
		t.start = 1
		t.scale = 0.5 * math.Max(1, 2.3/math.Sqrt(t.tabled))
	}
	t.steep = math.Inf(1)
	if t.start > 0 && nu >= steepNu {
		t.steep, t.fallen = steepX, t.fall(steepX)
	}
	t.forget()
}

// forget empties the cells of other degrees of freedom.
func (t *TDistribution) forget() {
	if t.filled != t.tabled {
		t.filled = t.tabled
		clear(t.kinds[:])
	}
}

// LogPDF returns TLogPDF(x, nu). It uses no table.
func (t *TDistribution) LogPDF(x float64) float64 {
	if s := x * x / t.nu; s < 1e300 && t.nu <= tableTo {
		return t.constant - 0.5*(t.nu+1)*math.Log1p(s)
	}
	return TLogPDF(x, t.nu)
}

// LogCDF returns TLogCDF(x, nu).
func (t *TDistribution) LogCDF(x float64) float64 {
	c := t.cell(x)
	if c == nil {
		return TLogCDF(x, t.nu)
	}
	log := c.at(logSeries, x-c.middle())
	if c.size() != 0 {
		return c.size() * math.Exp(log)
	}
	return log
}

// Ratio returns TRatio(x, nu).
func (t *TDistribution) Ratio(x float64) float64 {
	c := t.cell(x)
	if c == nil {
		return TRatio(x, t.nu)
	}
	return c.scaled(ratioSeries, x-c.middle())
}

// LogCDFDNu returns TLogCDFDNu(x, nu).
func (t *TDistribution) LogCDFDNu(x float64) float64 {
	c := t.cell(x)
	if c == nil {
		return TLogCDFDNu(x, t.nu)
	}
	return c.scaled(dnuSeries, x-c.middle()) * t.fade
}

// LogCDFRatio returns TLogCDF(x, nu) and TRatio(x, nu).
func (t *TDistribution) LogCDFRatio(x float64) (log, ratio float64) {
	c := t.cell(x)
	if c == nil {
		return TLogCDFRatio(x, t.nu)
	}
	d := x - c.middle()
	log, ratio = c.at(logSeries, d), c.at(ratioSeries, d)
	if c.size() != 0 {
		log = c.size() * math.Exp(log)
		ratio *= log
	}
	return log, ratio
}

// RatioDNu returns TRatio(x, nu) and TLogCDFDNu(x, nu).
func (t *TDistribution) RatioDNu(x float64) (ratio, dnu float64) {
	c := t.cell(x)
	if c == nil {
		return TRatioDNu(x, t.nu)
	}
	d := x - c.middle()
	ratio, dnu = c.at(ratioSeries, d), c.at(dnuSeries, d)*t.fade
	if c.size() != 0 {
		log := c.size() * math.Exp(c.at(logSeries, d))
		ratio *= log
		dnu *= log
	}
	return ratio, dnu
}

// LogCDFRatioDNu returns TLogCDF(x, nu), TRatio(x, nu) and TLogCDFDNu(x, nu).
func (t *TDistribution) LogCDFRatioDNu(x float64) (log, ratio, dnu float64) {
	c := t.cell(x)
	if c == nil {
		return TLogCDFRatioDNu(x, t.nu)
	}
	d := x - c.middle()
	log, ratio, dnu = c.at(logSeries, d), c.at(ratioSeries, d), c.at(dnuSeries, d)*t.fade
	if c.size() != 0 {
		log = c.size() * math.Exp(log)
		ratio *= log
		dnu *= log
	}
	return log, ratio, dnu
}

// scaled returns the value of a series that may be divided by log F.
func (c *cellSeries) scaled(which int, d float64) float64 {
	v := c.at(which, d)
	if c.size() != 0 {
		return v * (c.size() * math.Exp(c.at(logSeries, d)))
	}
	return v
}

// cell returns the cell of x, filled; nil where there is none.
func (t *TDistribution) cell(x float64) *cellSeries {
	k := t.cellOf(x)
	if t.ready(k) == noCell {
		return nil
	}
	return t.at(k)
}

// cellOf is the number of the cell of x, allCells where there is none.
func (t *TDistribution) cellOf(x float64) uint {
	if x >= t.steep {
		return t.steepCellOf(x)
	}
	return t.octaveCellOf(x)
}

// octaveCellOf is cellOf where F does not come to 1 steeply.
func (t *TDistribution) octaveCellOf(x float64) uint { return octaveCellOf(t.start, t.scale, x) }

func octaveCellOf(start, scale, x float64) uint {
	k := cellOf(start+scale*math.Abs(x), cellBits)
	if k >= cells {
		return allCells
	}
	return k + uint(math.Float64bits(x)>>63)*cells
}

// fall is by how much the log-density is lower at x than at 0.
func (t *TDistribution) fall(x float64) float64 {
	return 0.5 * (t.tabled + 1) * math.Log1p(x/t.tabled*x)
}

// steepCellOf is cellOf where F comes to 1 steeply.
func (t *TDistribution) steepCellOf(x float64) uint {
	k := (t.fall(x) - t.fallen) / steepFall
	if !(k < steepCells) {
		return allCells
	}
	return 2*cells + uint(max(k, 0))
}

// steepMiddle is the middle of such a cell: where the density has fallen half as far as it does in the cell.
func (t *TDistribution) steepMiddle(k uint) float64 {
	fall := t.fallen + steepFall*(float64(k-2*cells)+0.5)
	return math.Sqrt(t.tabled * math.Expm1(2*fall/(t.tabled+1)))
}

// ready fills a cell, unless it is filled.
func (t *TDistribution) ready(k uint) cellKind {
	if t.kinds[k] == emptyCell {
		t.fill(k)
	}
	return t.kinds[k]
}

func (t *TDistribution) at(k uint) *cellSeries { return (*cellSeries)(t.numbers[k*cellNumbers:]) }

// fill fills cell k.
func (t *TDistribution) fill(k uint) {
	var c tCell
	switch {
	case k == allCells:
		c.direct = true
	case k >= 2*cells:
		c.fill(t.steepMiddle(k), 0, t.tabled, true)
	default:
		middle, half, steep := t.octaveCell(k)
		c.fill(middle, half, t.tabled, steep)
	}
	switch {
	case c.direct:
		t.kinds[k] = noCell
	case c.size != 0:
		t.kinds[k] = steepCell
	default:
		t.kinds[k] = plainCell
	}
	to := t.at(k)
	for j := range order {
		to[cellStep*j+logSeries], to[cellStep*j+ratioSeries], to[cellStep*j+dnuSeries] = c.log[j], c.ratio[j], c.dnu[j]
	}
	to[cellMiddleAt], to[cellSizeAt] = c.middle, c.size
}

// octaveCell is the middle of one of the cells of the octaves on both sides of 0, half of its width, and whether log F falls steeply there.
func (t *TDistribution) octaveCell(k uint) (middle, half float64, steep bool) {
	side, sign := k, 1.0
	if k >= cells {
		side, sign = k-cells, -1
	}
	middle, half = cellMiddle(side, cellBits)
	middle--
	if side == 0 {
		middle, half = 0, 2*half
	}
	return sign * middle / t.scale, half / t.scale, sign > 0 && side >= far
}
