package special

// normalCell has the Taylor series of log Phi and of psi = phi/Phi around a point, for the sixteenth of the line around
// it: two short polynomials take less than half the time of an exponential, a logarithm and two divisions.
type normalCell struct {
	log   float64     // at the centre
	slope [11]float64 // of (log Phi(x) - log)/delta in powers of delta = x - centre
	ratio [11]float64 // of psi
}

const (
	normalCellsPerUnit = 16
	normalCellsEnd     = 4 // the cells cover -4 to 4
)

var normalCells = newNormalCells()

func newNormalCells() (cells [len(normalCellCentres)]normalCell) {
	for k, at := range normalCellCentres {
		cells[k].fill(float64(k)/normalCellsPerUnit-normalCellsEnd, at[0], at[1])
	}
	return cells
}

// fill computes the series from their first terms: (log Phi)' = psi, psi' = -psi (x + psi).
func (c *normalCell) fill(x, log, ratio float64) {
	c.log = log
	var falls [len(c.ratio)]float64 // the series of x + psi
	c.ratio[0], falls[0] = ratio, x+ratio
	for k := range c.ratio {
		c.slope[k] = c.ratio[k] / float64(k+1)
		if k+1 == len(c.ratio) {
			break
		}
		sum := 0.0
		for j := range k + 1 {
			sum += c.ratio[j] * falls[k-j]
		}
		c.ratio[k+1] = -sum / float64(k+1)
		falls[k+1] = c.ratio[k+1]
		if k == 0 {
			falls[1]++
		}
	}
}

// logAt returns log Phi at a distance delta of at most 1/32 from the centre.
func (c *normalCell) logAt(delta float64) float64 { return c.log + delta*poly10(&c.slope, delta) }

// ratioAt returns psi there.
func (c *normalCell) ratioAt(delta float64) float64 { return poly10(&c.ratio, delta) }

func inNormalCells(x float64) bool { return x >= -normalCellsEnd && x <= normalCellsEnd }

// ratioWords is ratioAt in two words, given the second word of psi at the centre.
func (c *normalCell) ratioWords(delta, rest float64) (hi, lo float64) {
	r, y := &c.ratio, delta*delta
	even := ((((r[10]*y+r[8])*y+r[6])*y+r[4])*y + r[2]) * y
	odd := (((r[9]*y+r[7])*y+r[5])*y+r[3])*y + r[1]
	change := even + delta*odd
	hi = r[0] + change
	return hi, (change - (hi - r[0])) + rest
}

// normalCellOf finds the cell of x.
func normalCellOf(x float64) (c *normalCell, delta float64) {
	k, delta := normalCellAt(x)
	return &normalCells[k], delta
}

// normalCellAt returns its number.
func normalCellAt(x float64) (k int, delta float64) {
	k = int(normalCellsPerUnit*(x+normalCellsEnd) + 0.5)
	return k, x - (float64(k)/normalCellsPerUnit - normalCellsEnd)
}
