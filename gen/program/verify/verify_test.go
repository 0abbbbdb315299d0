package verify_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/program"
	"github.com/sngdgen/sngdgen/gen/program/verify"
)

// rejected are programs with one fault each, and what the verifier says of it.
var rejected = []struct{ fault, text string }{
	{"t is not declared here", "return t"},
	{"t is not declared here", "for i < d {\n\tt = 1\n\tu = t\n}\nreturn t"},
	{"t is declared twice", "t = 1\nt = 2"},
	{"2 places for 3 functions", "nu = 2\na, b = t_logcdf, t_ratio, t_logcdf_dnu(nu, nu)"},
	{"log of 2 operands", "t = 1\nu = log(t, t)"},
	{"nothing can be prepared for log", "prepare p = special.TDistribution(2), slot 0\nt = p.log(3)"},
	{"x is an array", "name x[d] = z[0: vector(d)]\nx += 1"},

	// Stages.
	{"t0 is not declared here", "t0 = 1\nstage s {\n\tt1 = t0 + 1\n}"},
	{"s does not declare w", "t0 = 1\nstage s with t0 as u giving v as w {\n\tx = u + 1\n}\nreturn v"},
	{"w is not declared here", "t0 = 1\nstage s with t0 as u {\n\tw = u + 1\n}\nreturn w"},
	{"s returns from the function that it is a part of", "t0 = 1\nstage s with t0 as u {\n\treturn u + 1\n}"},
	{"q is read before it is written", "slots 1 of [d]\nmemory b[d], slot 0\nstage s with b as q[d] giving t as u {\n\tu = Dot(q, q)\n}\nreturn t"},
	{"q of s is not of the shape of b", "slots 1 of [d]\nmemory b[d], slot 0\nclear(b)\nstage s with b as q[d, d] {\n\tt = q[0, 0]\n}"},
	{"q is not in slot 1", "slots 2 of [d]\nmemory b[d], slot 0\nclear(b)\nstage s held b as q[d] slot 1 giving t as u {\n\tu = Dot(q, q)\n}\nreturn t"},
	{"q is not in slot 0 at the end of s", "slots 2 of [d]\nstage s kept b as q[d] slot 0 {\n\tmemory q[d], slot 0\n\tclear(q)\n\tmemory r[d], slot 0\n\tclear(r)\n}\nt = Dot(b, b)\nreturn t"},
	{"the memory of b has been taken by q", "slots 2 of [d]\nmemory b[d], slot 0\nclear(b)\nstage s {\n\tmemory q[d], slot 0\n\tclear(q)\n}\nt = Dot(b, b)\nreturn t"},

	// Entries and subscripts.
	{"x has 1 axes, and 0 subscripts", "name x[d] = z[0: vector(d)]\nreturn x"},
	{"x has 1 axes, and 2 subscripts", "name x[d] = z[0: vector(d)]\nfor i < d, j < d {\n\ttotal t += x[i, j]\n}"},
	{"entry 0 of x, which has d", "name x[d] = z[0: vector(d)]\nreturn x[0]"},
	{"entry 3 of x, which has 3", "name x[3] = z[0: vector(3)]\nreturn x[3]"},
	{"a subscript of x is that of no loop here", "name x[d] = z[0: vector(d)]\nreturn x[i]"},
	{"a subscript of x takes c values, the axis has d", "name x[d] = z[0: vector(d)]\nfor i < c {\n\ttotal t += x[i]\n}"},

	{"a row of w is chosen by what g says", "slots 1 of [rows]\nfor each block of rows with g of g {\n\tmemory w[rows], slot 0\n\tclear(w)\n" +
		"\tfor i < rows {\n\t\tsum s += weight*(w[@g[i]])\n\t}\n}"},
	{"entries of x that memory names are written, others are not",
		"slots 1 of [d]\nmemory x[d], slot 0\nclear(x)\nfor each block of rows with g of g {\n\tfor i < rows {\n\t\tx[@g[i]] = weight*(1)\n\t}\n}"},

	// Memory.
	{"memory for a number", "memory x[], slot 0"},
	{"slot 1 of 1", "slots 1 of [d]\nmemory x[d], slot 1"},
	{"the memory of x has been taken by y", "slots 1 of [d]\nmemory x[d], slot 0\nclear(x)\nmemory y[d], slot 0\nclear(y)\nt = Dot(x, y)"},
	{"x is read before it is written", "slots 1 of [d]\nmemory x[d], slot 0\nt = Dot(x, x)"},
	{"x is read above the diagonal, where nothing has been written",
		"slots 1 of [d, d]\nmemory x[d, d], slot 0\nfor i < d, j <= i {\n\tx[i, j] = 1\n}\nfor i < d, j < d {\n\ttotal t += x[i, j]\n}"},
	{"p.s is read above the diagonal, where nothing has been written", "given p.s[d, d] lower, u[d], v[d]\nSymmetricMulVec(u, p.s, v, d)"},
	{"v is not filled", "fill v[d] = out[0: vector(d)]"},

	// Kernels.
	{"0 operands, not 1", "clear()"},
	{"what it returns and what is expected of it differ", "name x[d] = z[0: vector(d)]\nDot(x, x)"},
	{"what it returns and what is expected of it differ", "name x[d] = z[0: vector(d)]\nt = clear(x)"},
	{"whether it tests and whether that is expected of it differ", "slots 1 of [d, d]\nname m[d, d] = z[0: matrix(d, d)]\n" +
		"memory chol[d, d], slot 0\nCholesky(chol, m, d)"},
	{"dst is no array", "clear(2)"},
	{"x is no array", "t = Dot(2, 3)"},
	{"t is a number", "t = 1\nclear(t)"},
	{"x has another shape", "slots 1 of [c]\nname x[d] = z[0: vector(d)]\nmemory y[c], slot 0\ncopy(y, x)"},
	{"x has 1 axes, not 2", "name x[d] = z[0: vector(d)]\nt = Trace(x, d)"},
	{"y has another shape", "name x[c] = z[0: vector(c)]\nname y[d] = z[c: vector(d)]\nt = Dot(x, y)"},
	{"d is c and d", "name m[c, d] = z[0: matrix(c, d)]\nt = Trace(m, d)"},
	{"prepared is not prepared special.GammaDiffs", "slots 1 of [d]\nname x[d] = z[0: vector(d)]\nmemory y[d], slot 0\n" +
		"prepare p = special.TDistribution(2), slot 0\nLgammaDiffs(y, x, p)"},
	{"dst and a are the same memory", "fill m[d, d] = z[0: matrix(d, d)]\nclear(m)\nTranspose(m, m, d, d)"},

	// Rows.
	{"a loop over the rows of a block outside a pass", "for i < rows {\n}"},
	{"a loop by Dot that does more than adding up", "for each block of rows with x[rows] of x {\n\tfor i < rows by Dot {\n\t\tt = 2*x[i]\n\t\tsum s += weight*(t)\n\t}\n}"},
	{"s is no inner product with the weights", "for each block of rows with x[rows] of x {\n\tfor i < rows by Dot {\n\t\tsum s += weight*(2*x[i])\n\t}\n}"},
	{"a sum over the rows in a loop that is not over rows", "for each block of rows {\n\tfor i < d {\n\t\tsum s += weight*(1)\n\t}\n}"},
	{"a column of vectors in a pass over numbers", "for each row with x[d] of data {\n}"},
	{"s is added up in 2 loops", "for each block of rows {\n\tfor i < rows {\n\t\tsum s += weight*(1)\n\t}\n\tfor i < rows {\n" +
		"\t\tsum s += weight*(2)\n\t}\n}"},
	{"s is not known before the pass has ended", "for each block of rows {\n\tfor i < rows {\n\t\tsum s += weight*(1)\n\t}\n\tt = s\n}"},
	{"a pass inside a pass", "for each block of rows {\n\tfor each row {\n\t}\n}"},
	{"a pass in ranges that does more than adding up", sumOfRows("in ranges ", "MulTVec(t, x, weights, rows, 2)")},
	{"a pass in ranges that does more than adding up", sumOfRows("in ranges ", "AddMulTVec(t, 1, x, weights, rows, 2)\n\tmemory u[rows], slot 0\n\tMulVec(u, x, t, rows, 2)")},
	{"a pass in ranges that does more than adding up", sumOfRows("in ranges ", "for i < 2 {\n\t\tt[i] = 1\n\t}")},
	{"a pass in ranges that does more than adding up", sumOfRows("in ranges ", "for i < 2 {\n\t\tt[i] += t[0]\n\t}")},
	{"a pass in ranges that does more than adding up", sumOfRows("in ranges ", "check 1 in [0, 2], condition 0")},

	// Rows one by one.
	{"a loop over the rows of a block inside one", "for each block of rows {\n\tfor each row of the block {\n\t\tfor each row of the block {\n\t\t}\n\t}\n}"},
	{"a loop over the rows of a block outside a pass", "for each row of the block {\n}"},
	{"what a row has outside the loops over rows", "for each block of rows with x[rows, d] of data {\n\tname own[d] = x[here]\n}"},
	{"own has another shape than a row of x",
		"for each block of rows with x[rows, d] of data {\n\tfor each row of the block {\n\t\tname own[d, d] = x[here]\n\t}\n}"},
	{"a subscript of t is that of no loop here", "slots 1 of [rows]\nfor each block of rows {\n\tmemory t[rows], slot 0\n\tt[here] = 1\n}"},

	// Components.
	{"a loop over components inside one", "for k components\nfor each component {\n\tfor each component {\n\t}\n}"},
	{"a loop over components where there are none", "for each component {\n}"},
	{"x is not one for each component", "for k components\nname x[d] = z[0: vector(d)]\nfor each component {\n\tname y = x[component]\n}"},
	{"a component's own value outside the loops over components", "for k components\nname w = z[0: the component's scalar]"},
	{"a component's own value outside the loops over components",
		"for k components\nname w[components] = z[0: k of scalar]\nname own = w[component]"},
}

// sumOfRows is a program with a pass over rows of two numbers, which does something with a vector t.
func sumOfRows(how, body string) string {
	return "slots 1 of [2], 1 of [rows]\nmemory t[2], slot 0\nclear(t)\nfor each block of rows " + how + "with x[rows, 2] of data {\n" +
		"\t" + body + "\n}"
}

// Adding up may be in ranges.
func TestInRanges(t *testing.T) {
	p, err := program.Parse(sumOfRows("in ranges ", "AddMulTVec(t, 1, x, weights, rows, 2)"))
	if err != nil {
		t.Fatal(err)
	}
	if err := verify.Program(p); err != nil {
		t.Error(err)
	}
}

func TestRejected(t *testing.T) {
	for _, c := range rejected {
		p, err := program.Parse(c.text)
		if err != nil {
			t.Errorf("%v\n%s", err, c.text)
			continue
		}
		err = verify.Program(p)
		if err == nil || !strings.Contains(err.Error(), ": "+c.fault) {
			t.Errorf("%v, not %s\n%s", err, c.fault, c.text)
		}
	}
}

// made are statements that no text stands for.
var made = []struct {
	fault string
	stmt  program.Stmt
}{
	{"there is no such kernel", &program.Call{Kernel: "Fly"}},
	{"d is no length", &program.Call{Kernel: "LogDet", To: number, Args: []program.Operand{{Place: matrix}, {Value: program.Number(2)}}}},
	{"a is no number", &program.Call{Kernel: "Scale", Args: []program.Operand{{Place: matrix}, {Block: true}, {Place: matrix}}}},
	{"m is given, and declared", &program.Let{To: matrix, Value: program.Number(1)}},
	{"an evaluation of nothing", &program.Evaluate{}},
	{"a statement of type <nil>", nil},
	{"nothing to name", &program.Bind{To: number}},
	{"operand 0 is nothing", &program.Solve{Op: expr.Root, Fn: unknown(expr.Scalar), Args: []program.Operand{{}}, To: []*program.Place{number}}},
	{"a vector without memory", &program.Solve{Op: expr.Root, Fn: unknown(vector), To: []*program.Place{nil}}},
	{"m has 2 dimensions, not 1", &program.Solve{Op: expr.Root, Fn: unknown(vector), To: []*program.Place{matrix}}},
	{"s has other places than it is performed with", &program.Perform{Stage: &program.Stage{Name: "s", In: []*program.Place{number}}}},
	{"an operand is missing", &program.Add{Value: program.Number(1)}},
	{"a formula is missing", &program.Return{Value: (*program.Apply)(nil)}},
	{"a formula of type <nil>", &program.Return{}},
	{"lin of 1 operands with 0 coefficients", &program.Return{Value: &program.Apply{Op: expr.Lin, Args: []program.Expr{program.Number(1)}}}},
}

var (
	number = &program.Place{Name: "t"}
	d      = expr.Dim{Name: "d"}
	matrix = &program.Place{Name: "m", Given: program.Argument("m"), Shape: program.Shape{Dims: []expr.Dim{d, d}}}
	vector = expr.Type{Rank: 1, Dims: [2]expr.Dim{d}}
)

// unknown is a function that solves an equation in one unknown.
func unknown(t expr.Type) *expr.Lambda {
	return &expr.Lambda{Vars: []*expr.Node{expr.NewGraph().Sym("x", t, expr.Facts{})}}
}

func TestMade(t *testing.T) {
	for _, c := range made {
		err := verify.Program(&program.Program{Body: []program.Stmt{c.stmt}})
		if err == nil || !strings.Contains(err.Error(), c.fault) {
			t.Errorf("%v, not %s", err, c.fault)
		}
	}
}

// Every fault that the verifier knows has a program above.
func TestFaults(t *testing.T) {
	var faults []string
	for _, c := range rejected {
		faults = append(faults, c.fault)
	}
	for _, c := range made {
		faults = append(faults, c.fault)
	}
	formats := formats(t)
	if len(formats) < 40 {
		t.Fatalf("only %d faults found in the source", len(formats))
	}
	for _, format := range formats {
		pattern := regexp.MustCompile(`%[a-zA-Z]`).ReplaceAllString(regexp.QuoteMeta(format), ".*")
		if !slices.ContainsFunc(faults, regexp.MustCompile("^"+pattern+"$").MatchString) {
			t.Errorf("no program with the fault %q", format)
		}
	}
}

// formats are what the verifier says of faults.
func formats(t *testing.T) []string {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) < 2 {
				return true
			}
			if sel, ok := call.Fun.(*ast.SelectorExpr); !ok || sel.Sel.Name != "fault" {
				return true
			}
			if text, ok := call.Args[1].(*ast.BasicLit); ok {
				format, _ := strconv.Unquote(text.Value)
				out = append(out, format)
			}
			return true
		})
	}
	return out
}

// TestHandedOn: a stage knows what has been prepared and is handed to it, and those behind it what it has prepared.
func TestHandedOn(t *testing.T) {
	const text = `slots 2 of [d]
name x[d] = z[0: vector(d)]
prepare p = special.TDistribution(2), slot 0
stage s with p as q, x as v[d] kept y as w[d] slot 0 {
	memory w[d], slot 0
	TLogCDFs(w, v, q)
}
stage s2 giving r as g {
	prepare g = special.TDistribution(3), slot 1
}
memory u[d], slot 1
TLogCDFs(u, y, r)
t = Dot(u, y)
return t
`
	p, err := program.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if err := verify.Program(p); err != nil {
		t.Error(err)
	}
}
