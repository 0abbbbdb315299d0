// Package series goes along the rows of a series with a state that every row changes, and backwards for derivatives, for generated
// code: by reverse communication, so that there are no closures, and with memory that the caller has.
//
// Going back needs the states in their opposite order. They are not kept: of every so many rows one state is, where so many is the
// square root of the number of rows, and those between two of them are computed again. So memory grows with the square root of the
// rows, and a derivative takes the steps of two sums.
package series

import "math"

// Action is what the caller is asked to do next.
type Action int

// The actions.
const (
	begin     Action = iota
	Start            // write the state in front of the first row of a series to State
	Step             // read State and the row, write Value and, to After, the state after the row
	Back             // read State, the row, Weight and, from Cotangent, what belongs to After; write Before, which belongs to State, and Gradient
	BackStart        // read Cotangent, which belongs to the state at the start, and write Gradient
)

// Scan is one way along the rows, and back where derivatives are asked for.
//
//	scan := series.New(memory, rows, weights, labels, states, params, columns, slopes)
//	for scan.Next() {
//		switch scan.Do {
//		case series.Start: ...
//		}
//	}
//	use(scan.Sum, scan.Total)
type Scan struct {
	Do  Action
	Row int
	// Weight is that of the row.
	Weight float64
	// State is in front of the row, After behind it, Data are the parts of the row, which the caller fills.
	State, After, Data []float64
	// Cotangent belongs to After, Before to State.
	Cotangent, Before []float64
	// Value is what the row has, Sum that of all rows, each with its weight; Gradient what the row adds to Total, the derivatives.
	Value, Sum      float64
	Gradient, Total []float64

	rows            int
	weights, labels []float64 // nil where all weights are 1, or there is one series
	checkpoints     []float64 // states in front of the first rows of all segments
	states          []float64 // in front of all rows of one segment
	segment, first  int       // rows of a segment; the first row of the present one
	again, slopes   bool
}

// segmentOf is how many rows are between two states that are kept.
func segmentOf(rows int) int { return max(1, int(math.Ceil(math.Sqrt(float64(rows))))) }

// Memory is how many numbers a scan needs, for states, parameters and parts of a row of so many numbers.
func Memory(rows, states, params, columns int) int {
	return states*(2*segmentOf(rows)+5) + 2*params + columns
}

// New begins a scan along so many rows with weights, nil where all are 1; labels say which series a row belongs to, nil where there is
// one series. It has derivatives where slopes are asked for.
func New(memory []float64, rows int, weights, labels []float64, states, params, columns int, slopes bool) Scan {
	segment := segmentOf(rows)
	take := func(n int) []float64 {
		part := memory[:n:n]
		memory = memory[n:]
		return part
	}
	s := Scan{rows: rows, weights: weights, labels: labels, segment: segment, slopes: slopes}
	s.State, s.After = take(states), take(states)
	s.Cotangent, s.Before = take(states), take(states)
	s.Gradient, s.Total, s.Data = take(params), take(params), take(columns)
	s.checkpoints, s.states = take(states*(segment+1)), take(states*segment)
	clear(s.Cotangent)
	clear(s.Total)
	return s
}

// Next notes what has been done, and says what is to be done next in Do; it reports whether there is anything.
func (s *Scan) Next() bool {
	switch s.Do {
	case begin:
		return s.rows > 0 && s.arrive()
	case Start:
		return s.reached()
	case Step:
		copy(s.State, s.After)
		if s.Row++; s.again {
			return s.arrive()
		}
		s.Sum += s.weightOf(s.Row-1) * s.Value
		return s.forward()
	case Back:
		copy(s.Cotangent, s.Before)
		s.add()
		if s.begins() {
			s.Do = BackStart
			return true
		}
	case BackStart:
		s.add()
		clear(s.Cotangent)
	}
	return s.down()
}

func (s *Scan) weightOf(row int) float64 {
	if s.weights == nil {
		return 1
	}
	return s.weights[row]
}

// begins reports whether the row is the first of its series.
func (s *Scan) begins() bool {
	return s.Row == 0 || s.labels != nil && s.labels[s.Row] != s.labels[s.Row-1]
}

// arrive comes to a row.
func (s *Scan) arrive() bool {
	if s.begins() {
		s.Do = Start
		return true
	}
	return s.reached()
}

// reached is when the state in front of the row is there.
func (s *Scan) reached() bool {
	s.Weight = s.weightOf(s.Row)
	s.Do = Step
	if s.again {
		copy(s.kept(), s.State)
		if s.Row == s.last() {
			s.again = false
			s.Do = Back
		}
	}
	return true
}

// kept is the memory for the state in front of the row.
func (s *Scan) kept() []float64 {
	k := (s.Row - s.first) * len(s.State)
	return s.states[k : k+len(s.State)]
}

// last is the last row of the segment.
func (s *Scan) last() int { return min(s.first+s.segment, s.rows) - 1 }

// forward goes to the next row, or turns back behind the last one.
func (s *Scan) forward() bool {
	switch {
	case s.Row < s.rows:
		if s.slopes && s.Row%s.segment == 0 {
			copy(s.checkpoint(s.Row), s.State)
		}
		return s.arrive()
	case !s.slopes:
		return false
	}
	return s.recompute((s.Row - 1) / s.segment * s.segment)
}

func (s *Scan) checkpoint(row int) []float64 {
	k := row / s.segment * len(s.State)
	return s.checkpoints[k : k+len(s.State)]
}

// recompute begins to compute the states of a segment again.
func (s *Scan) recompute(first int) bool {
	s.first, s.Row, s.again = first, first, true
	copy(s.State, s.checkpoint(first))
	return s.arrive()
}

// down goes to the row in front of this one.
func (s *Scan) down() bool {
	if s.Row == 0 {
		return false
	}
	if s.Row--; s.Row < s.first {
		return s.recompute(s.first - s.segment)
	}
	copy(s.State, s.kept())
	s.Weight, s.Do = s.weightOf(s.Row), Back
	return true
}

// add adds what has been computed to the derivatives.
func (s *Scan) add() {
	for k, x := range s.Gradient {
		s.Total[k] += x
	}
}
