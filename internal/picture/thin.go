//go:build !js

package picture

import (
	"math"

	"gonum.org/v1/plot/vg"
)

// unseen is how far a line may be moved without anybody noticing.
const unseen = vg.Length(0.04)

// thinned leaves out the points of a line that lie on it without them (Ramer 1972, Douglas and Peucker 1973), so that files are small.
func thinned(line []vg.Point) []vg.Point {
	if len(line) < 3 {
		return line
	}
	keep := make([]bool, len(line))
	keep[0], keep[len(line)-1] = true, true
	for open := [][2]int{{0, len(line) - 1}}; len(open) > 0; {
		from, to := open[len(open)-1][0], open[len(open)-1][1]
		open = open[:len(open)-1]
		if worst, far := farthest(line, from, to); far > unseen {
			keep[worst] = true
			open = append(open, [2]int{from, worst}, [2]int{worst, to})
		}
	}
	var out []vg.Point
	for i, p := range line {
		if keep[i] {
			out = append(out, p)
		}
	}
	return out
}

// farthest is the point between two others of a line that is farthest from the segment between them.
func farthest(line []vg.Point, from, to int) (worst int, far vg.Length) {
	for i := from + 1; i < to; i++ {
		if d := distance(line[i], line[from], line[to]); d > far {
			worst, far = i, d
		}
	}
	return worst, far
}

// distance is that of a point from a segment.
func distance(p, a, b vg.Point) vg.Length {
	d := b.Sub(a)
	along := 0.0
	if length := d.Dot(d); length > 0 {
		along = math.Min(1, math.Max(0, float64(p.Sub(a).Dot(d)/length)))
	}
	q := a.Add(d.Scale(vg.Length(along)))
	return vg.Length(math.Hypot(float64(p.X-q.X), float64(p.Y-q.Y)))
}
