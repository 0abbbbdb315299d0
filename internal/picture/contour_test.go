package picture

import (
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

// TestContours: the lines of a cone are circles, closed, and inside the grid; those that leave the grid end at its border.
func TestContours(t *testing.T) {
	l := &Layer{Kind: Contour}
	for i := range 41 {
		l.X, l.Y = append(l.X, float64(i)/10-2), append(l.Y, float64(i)/10-2)
	}
	for _, y := range l.Y {
		for _, x := range l.X {
			l.Z = append(l.Z, -math.Hypot(x, y))
		}
	}
	for _, r := range []float64{0.55, 1.33, 1.97} {
		lines := Contours(l, -r)
		if len(lines) != 1 || lines[0][0] != lines[0][len(lines[0])-1] {
			t.Fatalf("%d lines of radius %v", len(lines), r)
		}
		for _, p := range lines[0] {
			if math.Abs(math.Hypot(p[0], p[1])-r) > 0.005/r {
				t.Errorf("%v is no point of the circle of radius %v", p, r)
			}
		}
		turns := 0.0
		for i, p := range lines[0][1:] {
			q := lines[0][i]
			turns += math.Atan2(q[0]*p[1]-q[1]*p[0], q[0]*p[0]+q[1]*p[1]) / (2 * math.Pi)
		}
		if math.Abs(math.Abs(turns)-1) > 1e-9 {
			t.Errorf("the line of radius %v goes around %v times", r, turns)
		}
	}
	if lines := Contours(l, -2.4); len(lines) != 4 {
		t.Errorf("%d lines in the corners", len(lines))
	}
}

// TestContoursOfNoise: of any field, saddles too, every crossed edge of the grid is in the lines, once or, where a line closes, at both of
// its ends, and the same field gives the same lines.
func TestContoursOfNoise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, m := rapid.IntRange(2, 9).Draw(t, "n"), rapid.IntRange(2, 9).Draw(t, "m")
		l := &Layer{Kind: Contour}
		for i := range n {
			l.X = append(l.X, float64(i))
		}
		for j := range m {
			l.Y = append(l.Y, float64(j))
		}
		for _, z := range rapid.SliceOfN(rapid.IntRange(-5, 5), n*m, n*m).Draw(t, "z") {
			l.Z = append(l.Z, float64(z)+0.5) // none is so near to 0 that points of a line are one
		}
		lines := Contours(l, 0)
		if !reflect.DeepEqual(lines, Contours(l, 0)) {
			t.Fatal("other lines of the same field")
		}
		crossed, drawn := 0, 0
		for j := range m {
			for i := range n {
				if i+1 < n && (l.Z[j*n+i] > 0) != (l.Z[j*n+i+1] > 0) {
					crossed++
				}
				if j+1 < m && (l.Z[j*n+i] > 0) != (l.Z[(j+1)*n+i] > 0) {
					crossed++
				}
			}
		}
		for _, line := range lines {
			if drawn += len(line); len(line) > 2 && line[0] == line[len(line)-1] {
				drawn--
			}
		}
		if drawn != crossed {
			t.Fatalf("%d crossed edges, %d on lines", crossed, drawn)
		}
	})
}

// TestContoursEnd: lines of x + y end where the field is no number, and do not follow the border.
func TestContoursEnd(t *testing.T) {
	l := &Layer{Kind: Contour}
	for i := range 21 {
		l.X, l.Y = append(l.X, float64(i)/20), append(l.Y, float64(i)/20)
	}
	for _, y := range l.Y {
		for _, x := range l.X {
			v := x + y
			if x > 0.72 {
				v = math.NaN()
			}
			l.Z = append(l.Z, v)
		}
	}
	lines := Contours(l, 1.01)
	if len(lines) != 1 || len(lines[0]) < 10 {
		t.Fatalf("%v", lines)
	}
	for _, p := range lines[0] {
		if !(p[0] <= 0.7+1e-12) || !(math.Abs(p[0]+p[1]-1.01) <= 1e-12) {
			t.Errorf("a line goes through %v", p)
		}
	}
}
