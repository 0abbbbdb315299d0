package ranges

// Shares are which of all rows each of several processes has: process i those from entry i up to entry i+1.
type Shares []int

// Of is where the rows of a process begin and end.
func (s Shares) Of(process int) (from, to int) { return s[process], s[process+1] }

// Even are shares of so many processes, of about as many ranges each where there are many rows.
func Even(rows, processes int) Shares {
	r, s := Cut(rows, 1), make(Shares, processes+1)
	for i := range s {
		switch {
		case i == processes:
			s[i] = rows
		case r.count < processes:
			s[i] = rows * i / processes
		default:
			s[i], _ = r.Range(r.count * i / processes)
		}
	}
	return s
}

// Plan is what a process does of a pass over rows that several have: it sums up over what it has of ranges From up to From+Count, adds up
// what it can, hands what is left to the others, and adds up what all have handed over. All sums are those of the tree of Combine where
// processes have whole ranges, whoever has them. Where a range is cut, its parts are added up in the order of the rows.
type Plan struct {
	From, Count int
	Within      []Addition // of what the process has
	Handed      []int      // which of what it has the others need
	At          int        // where that is in what all hand over, one after the other
	All         int        // how many all hand over
	Among       []Addition // of what all have handed over; the sum is the first
}

// Addition adds what has one number to what has another.
type Addition struct{ To, From int }

// Plan is what a process does.
func (s Shares) Plan(r Ranges, process int) *Plan {
	p := new(Plan)
	var whole []span      // ranges that a process has whole
	at := map[int]int{}   // what all hand over, by the first of the ranges of which it is the sum
	var broken []Addition // parts of ranges
	for q := range len(s) - 1 {
		has, complete := s.spans(r, q)
		whole = append(whole, complete)
		own := make([]bool, has.count()) // not added to another one yet
		for i := range own {
			own[i] = true
		}
		tree(r.count, func(to, from, end int) {
			if complete.first <= to && end <= complete.last {
				own[from-has.first] = false
				if q == process {
					p.Within = append(p.Within, Addition{to - has.first, from - has.first})
				}
			}
		})
		if q == process {
			p.From, p.Count, p.At = has.first, has.count(), p.All
		}
		for i, is := range own {
			if !is {
				continue
			}
			if first, ok := at[has.first+i]; ok {
				broken = append(broken, Addition{first, p.All})
			} else {
				at[has.first+i] = p.All
			}
			if q == process {
				p.Handed = append(p.Handed, i)
			}
			p.All++
		}
	}
	p.Among = broken
	tree(r.count, func(to, from, end int) {
		for _, w := range whole {
			if w.first <= to && end <= w.last {
				return
			}
		}
		p.Among = append(p.Among, Addition{at[to], at[from]})
	})
	return p
}

// span is ranges from a first one up to a last one, which it does not have.
type span struct{ first, last int }

func (s span) count() int { return max(0, s.last-s.first) }

// spans are the ranges that a process has some of, and those that it has whole.
func (s Shares) spans(r Ranges, process int) (some, whole span) {
	start, end := s.Of(process)
	some = span{r.count, 0}
	whole = some
	for i := range r.count {
		from, to := r.Range(i)
		if from < end && start < to {
			some = span{min(some.first, i), i + 1}
			if start <= from && to <= end {
				whole = span{min(whole.first, i), i + 1}
			}
		}
	}
	return some, whole
}

// tree calls add for all additions of a tree over so many: neighbours, then neighbours of these. To is then the sum of those up to end.
func tree(count int, add func(to, from, end int)) {
	for step := 1; step < count; step *= 2 {
		for i := 0; i+step < count; i += 2 * step {
			add(i, i+step, min(i+2*step, count))
		}
	}
}

// Add makes additions.
func (p *Parts) Add(list []Addition) {
	for _, a := range list {
		p.add(p.Of(a.To), p.Of(a.From))
	}
}
