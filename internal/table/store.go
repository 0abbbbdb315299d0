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
