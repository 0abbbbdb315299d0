package table

// What a reader keeps, until all rows are there: memory grows by what is added, and nothing is copied on the way, so that a text
// without an end is refused before it has taken much more than its numbers do.

// chunkLen is how many entries a chunk has: a few megabytes.
const chunkLen = 1 << 20

// chunks are the entries of a slice whose length is not known beforehand.
type chunks[T any] struct {
	full [][]T
	last []T
}

func (c *chunks[T]) add(x T) {
	if len(c.last) == chunkLen {
		c.full = append(c.full, c.last)
		c.last = make([]T, 0, chunkLen)
	}
	c.last = append(c.last, x)
}

func (c *chunks[T]) len() int { return len(c.full)*chunkLen + len(c.last) }

// joined returns the entries as one slice, and forgets them.
func (c *chunks[T]) joined() []T {
	out := c.last
	if len(c.full) > 0 {
		out = make([]T, 0, c.len())
		for _, part := range c.full {
			out = append(out, part...)
		}
		out = append(out, c.last...)
	}
	*c = chunks[T]{}
	return out
}

// runs are numbers of which most are the one before plus 1, as those of rows and lines are.
type runs struct {
	count int
	from  chunks[run]
	next  int32 // what would go on with the last run
}

// run is a run of numbers from the given entry on.
type run struct {
	at    int
	first int32
}

func (r *runs) add(x int32) {
	if r.count == 0 || x != r.next {
		r.from.add(run{r.count, x})
	}
	r.count++
	r.next = x + 1
}

// expanded returns the numbers, and forgets them.
func (r *runs) expanded() []int32 {
	out := make([]int32, 0, r.count)
	from := r.from.joined()
	for i, s := range from {
		end := r.count
		if i+1 < len(from) {
			end = from[i+1].at
		}
		for k := range end - s.at {
			out = append(out, s.first+int32(k))
		}
	}
	*r = runs{}
	return out
}
