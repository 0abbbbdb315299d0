package types_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/sngdgen/sngdgen/internal/testseed"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// TestNames: types are found by their names, and written as specs write them.
func TestNames(t *testing.T) {
	for _, e := range types.Entries {
		if types.EntryNamed(e.Name) != e || types.FormNamed(e.Name) != nil {
			t.Errorf("%s is not found", e.Name)
		}
	}
	for _, f := range types.Forms {
		if f != types.Number && (types.FormNamed(f.Name) != f || types.EntryNamed(f.Name) != nil) {
			t.Errorf("%s is not found", f.Name)
		}
	}
	if types.EntryNamed("complex") != nil || types.FormNamed("tensor") != nil {
		t.Error("found what is not there")
	}
	for want, of := range map[string]types.Type{
		"positive": types.Number.Of(types.Positive), "vector(d)": types.Vector.Of(types.Real), "count vector(d)": types.Vector.Of(types.Count),
		"matrix(d, 3)": types.Matrix.Of(types.Real), "simplex(d)": types.Simplex.Of(types.Unit), "corr(d)": types.Corr.Of(types.Real),
	} {
		if got := of.Written("d", "3"); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestComplete: every row of the tables has all that is asked of it.
func TestComplete(t *testing.T) {
	for _, e := range types.Entries {
		switch {
		case e.Doc == "" || e.Want == "" || e.Random == nil:
			t.Errorf("%s lacks words, or random numbers", e.Name)
		case e.Link == nil != e.Integer:
			t.Errorf("%s: real numbers have a link, whole ones have none", e.Name)
		case math.IsInf(e.Lo, 0) && !e.LoOpen || math.IsInf(e.Hi, 0) && !e.HiOpen:
			t.Errorf("%s contains infinity", e.Name)
		}
	}
	for _, of := range []*types.Entry{types.Real, types.Positive, types.Unit, types.Between(-2, 3)} {
		e := of.With(3, of.Lo+1, 3)
		if e != of.With(of.Lo+1, 3) || e.Smooth() != of || of.Smooth() != of || of.With() != of || e.Link != nil || !e.Contains(3) || e.Bounded() {
			t.Errorf("%+v", e)
		}
	}
	for _, f := range types.Forms {
		if f.Doc == "" && f != types.Number && f != types.Vector || f.Go == "" || f.Square() != (f.Rank == 2 && f != types.Matrix) {
			t.Errorf("%s lacks something: %+v", f.Name, f)
		}
		switch {
		case f.Structure != 0 && f.Chart == nil:
			t.Errorf("%s: entries are related, but it has no chart", f.Name)
		case f.Chart != nil && (f.Chart.Formula == "" || f.Chart.LogJacobian == "" || len(f.Chart.Coordinates) == 0 || len(f.Chart.Inverse) != len(f.Chart.Coordinates)):
			t.Errorf("%s: its chart lacks a formula, a Jacobian or coordinates, each with its inverse", f.Name)
		}
	}
}

// TestRandom: what is drawn, and the default, are of the entry; infinite and undefined numbers are of none.
func TestRandom(t *testing.T) {
	rng := runtime.Stream(1, "types")
	for _, e := range types.Entries {
		for range 1000 {
			if x := e.Random(rng); !e.Contains(x) {
				t.Errorf("%s: %v", e.Name, x)
			}
		}
		if !e.Contains(e.Default) {
			t.Errorf("%s: %v", e.Name, e.Default)
		}
		for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			if e.Contains(x) {
				t.Errorf("%s contains %v", e.Name, x)
			}
		}
	}
}

// TestLinks: coordinates are inverse to values, slopes are derivatives, whatever entry has the link.
func TestLinks(t *testing.T) {
	links := []*types.Link{types.Atanh}
	for _, e := range append(slices.Clone(types.Entries), types.Between(-1, 3), types.Between(2, math.Inf(1)), types.Between(math.Inf(-1), -0.5)) {
		if e.Link != nil && !slices.Contains(links, e.Link) {
			links = append(links, e.Link)
		}
	}
	for _, l := range links {
		rapid.Check(t, func(t *rapid.T) {
			u := rapid.Float64Range(-8, 8).Draw(t, "u")
			x := l.Value(u)
			if back := l.Coordinate(x); math.Abs(back-u) > 1e-8*(1+math.Abs(u)) {
				t.Fatalf("%s at %v: coordinate %v", l.Formula, u, back)
			}
			const h = 1e-5
			slope, want := l.Slope(u, x), (l.Value(u+h)-l.Value(u-h))/(2*h)
			if math.Abs(slope-want) > 1e-4*want+1e-10 {
				t.Fatalf("%s at %v: slope %v, by differences %v", l.Formula, u, slope, want)
			}
		})
	}
}

// A vector of numbers between 0 and 1 is by default inside the simplex, where it may have to be; a number is in the middle.
func TestDefaults(t *testing.T) {
	for _, c := range []struct {
		of   types.Type
		n    int
		want float64
	}{
		{types.Number.Of(types.Real), 1, 0}, {types.Number.Of(types.Binary), 1, 0}, {types.Number.Of(types.Positive), 1, 1},
		{types.Vector.Of(types.Count), 3, 1}, {types.Number.Of(types.Unit), 1, 0.5}, {types.Vector.Of(types.Unit), 1, 0.5},
		{types.Vector.Of(types.Unit), 2, 1.0 / 3}, {types.Vector.Of(types.Unit), 4, 0.2}, {types.Simplex.Of(types.Unit), 4, 0.25},
	} {
		x := make([]float64, c.n)
		c.of.Default(x, 0)
		if !slices.Equal(x, slices.Repeat([]float64{c.want}, c.n)) {
			t.Errorf("%s of %d: %v, want %v", c.of.Written("d"), c.n, x, c.want)
		}
	}
}

// TestForms: the default of a form is of the form, and so is what is a small change along a tangent away, in as many independent
// directions as there are free entries.
func TestForms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.SampledFrom(types.Forms).Draw(t, "form")
		entry := f.Entries
		if entry == nil {
			entry = types.Real
		}
		d := rapid.IntRange(1, 4).Draw(t, "d")
		n, side := d, 0
		switch {
		case f.Rank == 2:
			n, side = d*d, d
		case f.Rank == 0:
			n = 1
		}
		x := make([]float64, n)
		f.Of(entry).Default(x, side)
		if err := f.Check(x, side, "x"); err != nil {
			t.Fatalf("the default %v: %v", x, err)
		}
		var tangents [][]float64
		for range 2 * n {
			change := rapid.SliceOfN(rapid.Float64Range(-1, 1), n, n).Draw(t, "change")
			f.Tangent(change, side)
			moved := slices.Clone(x)
			for i := range moved {
				moved[i] += 1e-5 * change[i]
			}
			if err := f.Check(moved, side, "x"); err != nil {
				t.Fatalf("%v away: %v", change, err)
			}
			tangents = append(tangents, change)
		}
		if r := rank(tangents); r > f.Free(n, side) {
			t.Fatalf("%d directions, %d free entries", r, f.Free(n, side))
		}
	})
}

// TestFree: unit vectors, made tangents, span as many directions as there are free entries.
func TestFree(t *testing.T) {
	for _, f := range types.Forms {
		for d := 1; d <= 4; d++ {
			n, side := d, 0
			switch {
			case f.Rank == 2:
				n, side = d*d, d
			case f.Rank == 0:
				n = 1
			}
			var tangents [][]float64
			for i := range n {
				change := make([]float64, n)
				change[i] = 1
				f.Tangent(change, side)
				tangents = append(tangents, change)
			}
			if r := rank(tangents); r != f.Free(n, side) {
				t.Errorf("%s of %d: %d directions, %d free entries", f.Name, d, r, f.Free(n, side))
			}
		}
	}
}

// rank is that of the matrix with these rows, by elimination.
func rank(rows [][]float64) int {
	r := 0
	for c := 0; len(rows) > 0 && c < len(rows[0]); c++ {
		best := r
		for i := r; i < len(rows); i++ {
			if math.Abs(rows[i][c]) > math.Abs(rows[best][c]) {
				best = i
			}
		}
		if best >= len(rows) || math.Abs(rows[best][c]) < 1e-9 {
			continue
		}
		rows[r], rows[best] = rows[best], rows[r]
		for i := r + 1; i < len(rows); i++ {
			factor := rows[i][c] / rows[r][c]
			for j := range rows[i] {
				rows[i][j] -= factor * rows[r][j]
			}
		}
		r++
	}
	return r
}

// TestCheck says what is wrong with values that are not of their form.
func TestCheck(t *testing.T) {
	for _, c := range []struct {
		form *types.Form
		x    []float64
		d    int
		want string
	}{
		{types.Simplex, []float64{0.5, 0.4}, 0, "x sums to 0.9, not to 1"},
		{types.SPD, []float64{1, 2, 3, 4}, 2, "x is not symmetric: entries 2,1 and 1,2 are 3 and 2"},
		{types.Corr, []float64{1, 0, 0, 2}, 2, "x is a correlation matrix, but has 2 on its diagonal"},
		{types.Lower, []float64{1, 5, 0, 1}, 2, "x is lower triangular, but entry 1,2 is 5"},
		{types.Simplex, []float64{math.NaN()}, 0, "x sums to NaN, not to 1"},
		{types.Matrix, []float64{1, 2, 3, 4}, 2, "<nil>"},
	} {
		if got := fmt.Sprint(c.form.Check(c.x, c.d, "x")); got != c.want {
			t.Errorf("%s: %s, want %s", c.form.Name, got, c.want)
		}
	}
}
