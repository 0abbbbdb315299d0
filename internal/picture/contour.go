package picture

import "math"

// Contours returns the lines on which a field has a value, by marching squares (Lorensen and Cline, Marching cubes, 1987, in two
// dimensions): each goes through the edges of the grid where the field, linear along these, has it. They come in the order of the
// cells, so that the same field gives the same lines. They end at cells with a corner that is no number, as outside of a domain.
func Contours(l *Layer, level float64) (lines [][][2]float64) {
	m := &marching{l, level, map[edge][]int{}, nil}
	m.collect()
	used := make([]bool, len(m.pieces))
	for first := range m.pieces {
		if used[first] {
			continue
		}
		used[first] = true
		ends := m.pieces[first]
		line := []edge{ends[0], ends[1]}
		line = m.extend(line, used)
		if line[0] != line[len(line)-1] { // not closed: go the other way too
			for i, j := 0, len(line)-1; i < j; i, j = i+1, j-1 {
				line[i], line[j] = line[j], line[i]
			}
			line = m.extend(line, used)
		}
		points := make([][2]float64, len(line))
		for i, e := range line {
			points[i] = m.point(e)
		}
		lines = append(lines, points)
	}
	return lines
}

// edge is one of the grid: from the node i, j to the right, or upwards.
type edge struct {
	i, j int
	up   bool
}

type marching struct {
	*Layer
	level  float64
	at     map[edge][]int // the pieces at each edge, two at most
	pieces [][2]edge
}

func (m *marching) value(i, j int) float64 { return m.Z[j*len(m.X)+i] }
func (m *marching) above(i, j int) bool    { return m.value(i, j) > m.level }

// collect finds the pieces of all cells: a cell has none, one, or two, across from each other.
func (m *marching) collect() {
	for j := range len(m.Y) - 1 {
		for i := range len(m.X) - 1 {
			if sum := m.value(i, j) + m.value(i+1, j) + m.value(i, j+1) + m.value(i+1, j+1); math.IsNaN(sum) {
				continue
			}
			bottom, top := edge{i, j, false}, edge{i, j + 1, false}
			left, right := edge{i, j, true}, edge{i + 1, j, true}
			var crossed []edge // counter-clockwise
			corners := [4]bool{m.above(i, j), m.above(i+1, j), m.above(i+1, j+1), m.above(i, j+1)}
			for k, e := range []edge{bottom, right, top, left} {
				if corners[k] != corners[(k+1)%4] {
					crossed = append(crossed, e)
				}
			}
			switch {
			case len(crossed) == 2:
				m.add(crossed[0], crossed[1])
			case len(crossed) == 4:
				// A saddle: the middle belongs to the corners on its side.
				middle := (m.value(i, j) + m.value(i+1, j) + m.value(i, j+1) + m.value(i+1, j+1)) / 4
				if (middle > m.level) == corners[0] {
					m.add(crossed[0], crossed[1])
					m.add(crossed[2], crossed[3])
				} else {
					m.add(crossed[3], crossed[0])
					m.add(crossed[1], crossed[2])
				}
			}
		}
	}
}

func (m *marching) add(a, b edge) {
	n := len(m.pieces)
	m.pieces = append(m.pieces, [2]edge{a, b})
	m.at[a], m.at[b] = append(m.at[a], n), append(m.at[b], n)
}

// extend appends the pieces that follow the end of a line.
func (m *marching) extend(line []edge, used []bool) []edge {
	for {
		end, found := line[len(line)-1], false
		for _, n := range m.at[end] {
			if used[n] {
				continue
			}
			used[n], found = true, true
			next := m.pieces[n][0]
			if next == end {
				next = m.pieces[n][1]
			}
			line = append(line, next)
			break
		}
		if !found {
			return line
		}
	}
}

// point is where the field has the value on an edge.
func (m *marching) point(e edge) [2]float64 {
	i, j := e.i+1, e.j
	if e.up {
		i, j = e.i, e.j+1
	}
	a, b := m.value(e.i, e.j), m.value(i, j)
	t := (m.level - a) / (b - a)
	if !(t >= 0 && t <= 1) { // one end is no number, or infinite
		t = 0.5
	}
	return [2]float64{m.X[e.i] + t*(m.X[i]-m.X[e.i]), m.Y[e.j] + t*(m.Y[j]-m.Y[e.j])}
}
