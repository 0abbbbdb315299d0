package pass

import (
	"regexp"
	"slices"

	"github.com/sngdgen/sngdgen/gen/program"
)

// triangular has products with lower triangular matrices, and with their transposes, leave out what is 0, and solves and sums what LowerHalf does not
// keep. Such matrices are Cholesky factors, and what LowerHalf leaves.
func triangular(p *program.Program, _ *Names) error {
	t := triangles{wholes: wholesIn(p.Body), factors: map[*program.Place]bool{}}
	t.findFactors(p.Body)
	t.within(&p.Body)
	t.halves(&p.Body)
	t.lowerProducts(p.Body)
	t.describe(p.Body)
	return nil
}

// triangles tell which matrices are lower triangular.
type triangles struct {
	wholes
	factors map[*program.Place]bool // memory into which nothing is written but Cholesky factors: false where something else is
	without []spared
}

// spared is an array that is done without, and what it was, for people.
type spared struct {
	place *program.Place
	text  string
}

func (t *triangles) findFactors(body []program.Stmt) {
	other := func(p *program.Place) {
		if m := t.memory(p); m != nil {
			t.factors[m] = false
		}
	}
	program.Walk(body, func(s program.Stmt) {
		switch s := s.(type) {
		case *program.Call:
			if s.Kernel != "Cholesky" {
				program.Changes([]program.Stmt{s}, other)
			} else if m := t.memory(s.Args[0].Place); m != nil {
				if _, known := t.factors[m]; !known {
					t.factors[m] = true
				}
			}
		case *program.Blocks, *program.Components, *program.EachRow: // what is in them is visited
		default:
			program.Changes([]program.Stmt{s}, other)
		}
	})
}

func (t *triangles) within(body *[]program.Stmt) {
	for i, s := range *body {
		if c, ok := s.(*program.Call); ok {
			if by := t.product((*body)[:i], c); by != nil {
				(*body)[i] = by
			}
		}
		for _, inner := range program.Bodies(s) {
			t.within(inner)
		}
	}
}

// product is the call in place of a product behind some statements, nil where it stays.
func (t *triangles) product(before []program.Stmt, c *program.Call) *program.Call {
	if c.Kernel != "Mul" && c.Kernel != "MulNT" {
		return nil
	}
	dst, a, b, m, k, n := c.Args[0], c.Args[1], c.Args[2], c.Args[3], c.Args[4], c.Args[5]
	left := t.lower(before, a.Place)
	of := b
	right := c.Kernel == "MulNT" && t.lower(before, b.Place)
	if c.Kernel == "Mul" {
		if of.Place, right = t.transposeOf(before, b.Place); right {
			t.without = append(t.without, spared{b.Place, of.Place.Name + "'"})
		}
	}
	switch {
	case left && right:
		return call("MulLowers", dst, a, of, k)
	case right:
		return call("MulNTLower", dst, a, of, m, k)
	case left && c.Kernel == "Mul":
		return call("MulLower", dst, a, b, k, n)
	}
	return nil
}

// describe writes what is said of places without the names of arrays that nothing reads any more.
func (t *triangles) describe(body []program.Stmt) {
	read := livenessOf(body, nil)
	for _, m := range slices.Backward(t.without) { // those of transposes come first, which others mention
		if read.needed[read.whole(m.place)] || m.text == "" {
			continue
		}
		name := regexp.MustCompile(`\b` + regexp.QuoteMeta(m.place.Name) + `\b`)
		program.Walk(body, func(s program.Stmt) {
			for _, p := range program.Declares(s) {
				if p != nil {
					p.About = name.ReplaceAllLiteralString(p.About, m.text)
				}
			}
		})
	}
}

// lower reports whether a matrix is lower triangular behind some statements.
func (t *triangles) lower(before []program.Stmt, p *program.Place) bool {
	for _, s := range slices.Backward(before) {
		if c, ok := s.(*program.Call); ok && c.Args[0].Place == p && (c.Kernel == "LowerHalf" || c.Kernel == "Cholesky") {
			return true
		}
		if t.changes(s, p) {
			return false
		}
	}
	return t.factors[t.memory(p)]
}

// transposeOf is the lower triangular matrix of which another is the transpose behind some statements.
func (t *triangles) transposeOf(before []program.Stmt, p *program.Place) (*program.Place, bool) {
	for i, s := range slices.Backward(before) {
		if c, ok := s.(*program.Call); ok && c.Kernel == "Transpose" && c.Args[0].Place == p {
			l := c.Args[1].Place
			unchanged := !slices.ContainsFunc(before[i+1:], func(s program.Stmt) bool { return t.changes(s, l) })
			return l, unchanged && t.lower(before[:i], l)
		}
		if t.changes(s, p) {
			return nil, false
		}
	}
	return nil, false
}

// changes reports whether a statement may write to a place.
func (t *triangles) changes(s program.Stmt, p *program.Place) bool {
	return t.wholes.changed([]program.Stmt{s}, nil, p)
}
