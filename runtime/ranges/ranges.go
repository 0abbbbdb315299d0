// Package ranges cuts the rows of a pass into ranges, and adds up what these have. Both depend on the number of rows, and on how many numbers are
// added up, alone: whoever adds up what, sums are the same to the last bit.
package ranges

import "math"

// Ranges are how the rows of a pass are cut: whole blocks, about as many in each.
type Ranges struct{ rows, blocks, count int }

const (
	// Block is the number of rows of a block.
	Block = 256
	// Whole is the number of rows up to which there is one range.
	Whole = (2*leastBlocks - 1) * Block
	// mostRanges is how many there are at most. Their number is a power of 2, so that the cuts of a pass with fewer ranges are cuts of one with more, and processes may
	// have whole ranges of all passes.
	mostRanges = 1024
	// Each has leastBlocks blocks or more, twice as many where fewer than few numbers are added up, as then the cheapest models take 3 microseconds for them.
	leastBlocks, few = 2, 8
	// leastRatio is how many times as long as the square root of what is added up a range is: so partial sums take a part of the memory
	// of rows that long, and adding them up a part of the time of a pass.
	leastRatio = 4
)

// How much functions hand to passes at most; what needs more is not cut.
const (
	MostArrays  = 24
	MostNumbers = 32
	MostSums    = 16
)

// Cut cuts rows where each range adds up so many numbers.
func Cut(rows, numbers int) Ranges {
	r := Ranges{rows, (rows + Block - 1) / Block, 1}
	if rows > Whole {
		least := leastBlocks
		if numbers < few {
			least *= 2
		}
		byMemory := float64(rows) / (leastRatio * math.Sqrt(float64(max(numbers, 1))))
		for most := min(mostRanges, r.blocks/least, int(byMemory)); 2*r.count <= most; {
			r.count *= 2
		}
	}
	return r
}

// Count is how many ranges there are.
func (r Ranges) Count() int { return r.count }

// Range is where range i begins and ends.
func (r Ranges) Range(i int) (from, to int) {
	return r.blocks * i / r.count * Block, min(r.blocks*(i+1)/r.count*Block, r.rows)
}

// Parts are partial sums, those of one range after the other: numbers that are added up, the largest numbers with the rows in which they
// are, and entries of arrays that are added up.
type Parts struct {
	Sums, Largest, Entries int
	Values                 []float64
}

// Size is how many numbers a range has.
func (p *Parts) Size() int { return p.Sums + 2*p.Largest + p.Entries }

// Begin makes memory for so many ranges, and sets it to what is summed up of no rows.
func (p *Parts) Begin(count int) {
	n := count * p.Size()
	if cap(p.Values) < n {
		p.Values = make([]float64, n)
	}
	p.Values = p.Values[:n]
	clear(p.Values)
	for i := range count {
		for k := range p.Largest {
			p.Of(i)[p.Sums+2*k] = math.Inf(-1)
		}
	}
}

// Of are the numbers of a range.
func (p *Parts) Of(i int) []float64 {
	n := p.Size()
	return p.Values[i*n : (i+1)*n : (i+1)*n]
}

// Combine adds the numbers of so many ranges to those of the first, as a tree: neighbours, then neighbours of these.
func (p *Parts) Combine(count int) {
	tree(count, func(to, from, _ int) { p.add(p.Of(to), p.Of(from)) })
}

// add adds the numbers of a range to those of one in front of it.
func (p *Parts) add(to, from []float64) {
	at := p.Sums
	for k, x := range from[:at] {
		to[k] += x
	}
	for range p.Largest {
		if x := from[at]; x > to[at] || x != x { // the first of equal ones stays, and NaN
			to[at], to[at+1] = x, from[at+1]
		}
		at += 2
	}
	to = to[at:]
	for k, x := range from[at:] {
		to[k] += x
	}
}
