package emit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dave/jennifer/jen"

	"github.com/sngdgen/sngdgen/gen/methods"
	"github.com/sngdgen/sngdgen/gen/program"
)

// Loops as Go, by hand: over vectors, matrices and triangles, over the rows of a block with their weights, with conditions, and entries that
// are written out.
func TestLoopsAsGo(t *testing.T) {
	for _, c := range []struct{ program, want string }{
		{"for i < d {\n\ta[i] = 2*m[i]\n}\n", "for i := range d {\n\ta[i] = 2 * m[i]\n}"},
		{"for i < d, j < d {\n\tA[i, j] = B[j, i] - m[i]*m[j]\n}\n",
			"for i := range d {\n\tfor j := range d {\n\t\tA[i*d+j] = B[j*d+i] - m[i]*m[j]\n\t}\n}"},
		{"for i < d, j <= i {\n\tA[i, j] = B[i, j]\n}\n", "for i := range d {\n\tfor j := range i + 1 {\n\t\tA[i*d+j] = B[i*d+j]\n\t}\n}"},
		{"for i < d, j < d {\n\ttotal t += A[i, j]*B[i, j]\n}\n",
			"var t float64\nfor ij := range d * d {\n\tt += A[ij] * B[ij]\n}"},
		{"for i < d, j < d {\n\tA[i, j] = 2*B[j, i]\n}\n", "for i := range d {\n\tfor j := range d {\n\t\tA[i*d+j] = 2 * B[j*d+i]\n\t}\n}"},
		{"for i < d {\n\tcheck m[i] in (-Inf, +Inf), condition 1\n}\n", "if !dense.Finite(m) {\n\treturn 1\n}"},
		{"for i < d {\n\tcheck m[i] in (0, +Inf), condition 1\n}\n", "for i := range d {\n\tif !(m[i] > 0 && m[i] <= math.MaxFloat64) {\n\t\treturn 1\n\t}\n}"},
		{"for i < d {\n\tt1 = m[i] + 1\n\ta[i] = t1/m[i]\n}\n", "for i := range d {\n\tt1 := m[i] + 1\n\ta[i] = t1 / m[i]\n}"},
		{"for i < rows {\n\tsum s += weight*(y[i])\n\tr[i] = weight*(y[i])\n}\n",
			"var blockS float64\nfor i := range b {\n\tweight := weights[i]\n\tblockS += weight * y[i]\n\tr[i] = weight * y[i]\n}\ns += blockS"},
		{"for i < rows, j < d {\n\tX[i, j] = x[i, j] - m[j]\n}\n",
			"for i := range b {\n\tfor j := range d {\n\t\tij := i*d + j\n\t\tX[ij] = x[ij] - m[j]\n\t}\n}"},
		{"for i < rows, j < d {\n\ttotal r += x[i, j]*m[j]\n}\n",
			"for i := range b {\n\tvar rowR float64\n\tfor j := range d {\n\t\tij := i*d + j\n\t\trowR += x[ij] * m[j]\n\t}\n\tr[i] = rowR\n}"},
		{"for i < rows by Dot {\n\tsum s += weight*(y[i])\n\tsum t += weight*(r[i])\n}\n", "s += dense.Dot(weights, y)\nt += dense.Dot(weights, r)"},
		{"t0 = Dot(m, a)\n", "t0 := dense.Dot(m, a)"},
		{"check Cholesky(A, B, d), condition 2\n", "if !dense.Cholesky(A, B, d) {\n\treturn 2\n}"},
		{"clear(a)\n", "clear(a)"},
		{"AddMulTVec(a, 1, x, y, rows, d)\n", "dense.AddMulTVec(a, 1, x, y, b, d)"},
		{"s = 1/(2*y0)\n", "s := 1 / (2 * y0)"},
	} {
		const inSight = "given m[d], a[d], A[d, d], B[d, d], x[rows, d], X[rows, d], y[rows], r[rows], y0\n"
		p, err := program.Parse(inSight + c.program)
		if err != nil {
			t.Errorf("%s: %v", c.program, err)
			continue
		}
		w := body{printer: printer{used: map[string]bool{}}, fail: func(i int) jen.Code { return jen.Return(jen.Lit(i)) }}
		var out []jen.Code
		for _, s := range p.Body {
			out = append(out, w.stmt(s)...)
		}
		if got := goText(out); got != c.want {
			t.Errorf("%sis\n%s\nnot\n%s", c.program, got, c.want)
		}
	}
}

// Memory of which one call makes scratch, and that nobody else mentions, has no name.
func TestScratch(t *testing.T) {
	for text, want := range map[string]int{
		"memory s[d, d], slot 0\nt = TraceOfInverse(A, s, d)\n":                                                                     1,
		"memory s[d, d], slot 0\nt = TraceOfInverse(A, s, d)\nu = TraceOfInverse(B, s, d)\n":                                        0,
		"memory s[d, d], slot 0\nTranspose(s, A, d, d)\n":                                                                           0,
		"for each block of rows with x[rows, d] of x {\n\tmemory s[rows, d], slot 0\n\tRowsSquareOfSolve(r, x, s, A, rows, d)\n}\n": 1,
	} {
		p, err := program.Parse("given A[d, d], B[d, d], r[rows]\n" + text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := len(scratch(p.Body)); got != want {
			t.Errorf("%d are scratch, not %d:\n%s", got, want, text)
		}
	}
}

// In the method of a pass inner products go to what it hands back.
func TestDotsHandedBack(t *testing.T) {
	p, err := program.Parse("given y[rows]\nfor i < rows by Dot {\n\tsum s += weight*(y[i])\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	sums := p.Body[0].(*program.Each).Sums
	w := body{printer: printer{used: map[string]bool{}}, handed: &methods.Handed{Sums: sums}, summed: map[*program.Place]bool{sums[0].To: true}}
	if got, want := goText(w.stmt(p.Body[0])), "p.pass.Sums[0] += dense.Dot(weights, y)"; got != want {
		t.Errorf("%s, not %s", got, want)
	}
}

// goText is what statements are in Go.
func goText(out []jen.Code) string {
	lines := strings.Split(fmt.Sprintf("%#v", jen.Func().Id("f").Params().Block(out...)), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimPrefix(l, "\t")
	}
	return strings.Join(lines[1:len(lines)-1], "\n")
}

// Conditions after each other that end the function in the same way are one.
func TestConditionsTogether(t *testing.T) {
	const three = `given a[d], A[d, d], B[d, d], s
check s in (0, +Inf), condition 0
do {
	check a[0] in (0, 1], condition 1
	check a[1] in (0, 1], condition 1
}
check Cholesky(A, B, d), condition 1
`
	const s, a, chol = "!(s > 0 && s <= math.MaxFloat64)", "!(a[0] > 0 && a[0] <= 1) || !(a[1] > 0 && a[1] <= 1)", "!dense.Cholesky(A, B, d)"
	p, err := program.Parse(three)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		fail func(int) jen.Code
		want string
	}{
		{func(int) jen.Code { return jen.Return(jen.Lit(-1)) }, "if " + s + " || " + a + " || " + chol + " {\n\treturn -1\n}"},
		{func(i int) jen.Code { return jen.Return(jen.Lit(i)) }, "if " + s + " {\n\treturn 0\n}\nif " + a + " || " + chol + " {\n\treturn 1\n}"},
	} {
		if got := goText((body{printer: printer{used: map[string]bool{}}, fail: c.fail}).stmts(p.Body)); got != c.want {
			t.Errorf("is\n%s\nnot\n%s", got, c.want)
		}
	}
}
