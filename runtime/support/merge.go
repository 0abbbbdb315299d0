package support

import (
	"math"
	"math/bits"
	"slices"

	"github.com/sngdgen/sngdgen/runtime"
)

// Equal rows of data are one where there are few different ones, as all processes have all of these.
const (
	mostDistinct        = 1 << 18 // rows
	mostDistinctNumbers = 1 << 22 // numbers in these
)

// MergedRowsOf is RowsOf, merged.
func MergedRowsOf(d runtime.Data) (Rows, error) { return merged(RowsOf(d)) }

// SplitMerged is Split, merged.
func SplitMerged(d runtime.Data, parts []Part) (Rows, error) { return merged(Split(d, parts)) }

// merged has equal rows be one, with the sum of their weights, and leaves out those of weight 0, unless there are no fewer then, or still
// many. They are in ascending order, so that nothing depends on that of the data. A batch has the rows as they were given.
func merged(r Rows, err error) (Rows, error) {
	if err != nil {
		return nil, err
	}
	own := newDistinct(r[1:])
	own.most = min(mostDistinct, mostDistinctNumbers/own.width)
	own.addAll(WeightsOf(r[0].given, r[0].count))
	all := own
	if others := r.Others(); others != nil {
		if all, err = own.joined(others); err != nil {
			return nil, err
		}
	}
	if n, _ := r.Counts(0); all == nil || all.many() || len(all.sums) == n {
		return r, nil
	}
	all.sort()
	r.merge(all)
	return r, nil
}

// merge makes distinct rows all that there are.
func (r Rows) merge(all *distinct) {
	r[0].all = make([]float64, len(all.sums))
	for i, s := range all.sums {
		r[0].all[i] = s.value()
	}
	at := 0
	for _, c := range r[1:] {
		c.all = make([]float64, 0, len(all.sums)*c.width)
		for from := at; from < len(all.values); from += all.width {
			c.all = append(c.all, all.values[from:from+c.width]...)
		}
		at += c.width
	}
	all.from = r[1:]
	r[0].distinct = all
	if s := r[0].share; s != nil {
		s.merged = true
	}
}

// distinct are rows that differ, each with the sum of the weights of those that are equal to it. Where they are many not all are there.
type distinct struct {
	from   []*Column // where they are from
	width  int
	most   int   // how many there may be; they are many when there are more
	first  []int // the first of those where they are from that is equal to each
	hashes []uint64
	sums   []longSum
	slots  []int32   // by hash, of which there are a power of 2: 1 more than the number of a row, 0 where there is none
	values []float64 // row by row, when all have been added
}

func newDistinct(from []*Column) *distinct {
	d := &distinct{from: from, slots: make([]int32, 64), most: math.MaxInt32 - 1}
	for _, c := range from {
		d.width += c.width
	}
	return d
}

// expect makes room for so many rows that differ, so that it need not grow.
func (d *distinct) expect(rows int) {
	d.slots = make([]int32, 1<<bits.Len(uint(2*max(rows, 32)-1)))
	d.first, d.hashes, d.sums = make([]int, 0, rows), make([]uint64, 0, rows), make([]longSum, 0, rows)
}

func (d *distinct) many() bool { return len(d.sums) > d.most }

func (d *distinct) at(k int) []float64 { return d.values[k*d.width : (k+1)*d.width] }

// addAll adds the weights of all rows of those where they are from.
func (d *distinct) addAll(w Weights) {
	for i := 0; i < w.Len() && !d.many(); i++ {
		d.add(i, longSum{high: w.At(i)})
	}
}

// add adds a weight to that of a row of those where they are from. What weighs nothing is left out.
func (d *distinct) add(i int, w longSum) {
	if w.high == 0 {
		return
	}
	h := d.hash(i)
	slot := d.slot(h, i)
	if *slot == 0 {
		d.first, d.hashes, d.sums = append(d.first, i), append(d.hashes, h), append(d.sums, w)
		if *slot = int32(len(d.sums)); 2*len(d.sums) > len(d.slots) {
			d.grow()
		}
		return
	}
	d.sums[*slot-1].add(w)
}

// MostEqual is the largest sum of the weights of rows that are equal, of so many columns each.
func MostEqual(values []float64, columns int, w Weights) float64 {
	d, most := newDistinct([]*Column{newColumn(columns, values)}), 0.0
	d.expect(w.Len())
	d.addAll(w)
	for _, sum := range d.sums {
		most = math.Max(most, sum.value())
	}
	return most
}

// slot is where a row with a hash is, or would be.
func (d *distinct) slot(h uint64, i int) *int32 {
	for at := h; ; at++ {
		slot := &d.slots[at&uint64(len(d.slots)-1)]
		if k := *slot - 1; k < 0 || d.hashes[k] == h && d.equal(d.first[k], i) {
			return slot
		}
	}
}

func (d *distinct) grow() {
	d.slots = make([]int32, 2*len(d.slots))
	for k, i := range d.first {
		*d.slot(d.hashes[k], i) = int32(k + 1)
	}
}

// equal compares two rows of those where they are from.
func (d *distinct) equal(i, j int) bool {
	for _, c := range d.from {
		if !slices.Equal(c.given[i*c.width:(i+1)*c.width], c.given[j*c.width:(j+1)*c.width]) {
			return false
		}
	}
	return true
}

// copied copies the rows from where they are from, which is not done before it is known that they are not many.
func (d *distinct) copied() []float64 {
	d.values = make([]float64, 0, len(d.first)*d.width)
	for _, i := range d.first {
		for _, c := range d.from {
			d.values = append(d.values, c.given[i*c.width:(i+1)*c.width]...)
		}
	}
	return d.values
}

// hash is the same of rows that are equal: 0 has two signs.
func (d *distinct) hash(i int) uint64 {
	h := uint64(d.width)
	for _, c := range d.from {
		for _, x := range c.given[i*c.width : (i+1)*c.width] {
			high, low := bits.Mul64(h^math.Float64bits(x+0), 0x9e3779b97f4a7c15)
			h = high ^ low
		}
	}
	return h
}

// joined are those of all processes, nil where one has many.
func (d *distinct) joined(others runtime.Reducer) (*distinct, error) {
	many := []float64{0}
	if d.many() {
		many[0] = 1
	}
	if err := others.Sum(many); err != nil || many[0] > 0 {
		return nil, err
	}
	values, err := Joined(others, d.copied())
	if err != nil {
		return nil, err
	}
	var pairs []float64
	for _, s := range d.sums {
		pairs = append(pairs, s.high, s.low)
	}
	if pairs, err = Joined(others, pairs); err != nil {
		return nil, err
	}
	all := newDistinct([]*Column{newColumn(d.width, values)})
	all.most = d.most
	for i := 0; i < len(pairs)/2 && !all.many(); i++ {
		all.add(i, longSum{pairs[2*i], pairs[2*i+1]})
	}
	return all, nil
}

// sort puts them into ascending order.
func (d *distinct) sort() {
	d.copied()
	order := make([]int, len(d.sums))
	for k := range order {
		order[k] = k
	}
	slices.SortFunc(order, func(a, b int) int { return slices.Compare(d.at(a), d.at(b)) })
	values, sums := make([]float64, 0, len(d.values)), make([]longSum, 0, len(d.sums))
	for _, k := range order {
		values, sums = append(values, d.at(k)...), append(sums, d.sums[k])
	}
	d.values, d.sums, d.first, d.hashes, d.slots = values, sums, nil, nil, nil
}

// of is which of the rows, in ascending order, a given one of those where they are from is. What weighs nothing is none of them, and may be any.
func (d *distinct) of(i int) int {
	from, to := 0, len(d.sums)-1
	for from < to {
		if middle := (from + to) / 2; d.below(middle, i) {
			from = middle + 1
		} else {
			to = middle
		}
	}
	return from
}

// below reports whether a row is below a given one.
func (d *distinct) below(k, i int) bool {
	row := d.at(k)
	for _, c := range d.from {
		for j, x := range c.given[i*c.width : (i+1)*c.width] {
			if row[j] != x {
				return row[j] < x
			}
		}
		row = row[c.width:]
	}
	return false
}

// longSum is a sum in two numbers, of which the second is what rounding has taken from the first: that of whole numbers is exact, and that of others
// depends so little on their order that in one number nothing is left of it, but for ties.
type longSum struct{ high, low float64 }

func (s longSum) value() float64 { return s.high + s.low }

// add is Knuth's TwoSum. The conversions forbid the compiler to fuse what must be rounded.
func (s *longSum) add(t longSum) {
	sum := s.high + t.high
	back := float64(sum - s.high)
	s.low += float64(s.high-float64(sum-back)) + float64(t.high-back) + t.low
	s.high = sum
}
