package expr_test

import (
	"bufio"
	"fmt"
	"math"
	"math/big"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/expr/syntax"
	"github.com/sngdgen/sngdgen/runtime/special"
)

// A reference is a point of the domain of a function with what mpmath says there: value and partial derivatives, nil where
// there is none.
type reference struct {
	args []float64
	want []*big.Float
}

// readReferences reads a table of runtime/special/testdata/accuracy.py, by the names of the functions.
func readReferences(t *testing.T, path string) map[string][]reference {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	out := map[string][]reference{}
	for s := bufio.NewScanner(file); s.Scan(); {
		if strings.HasPrefix(s.Text(), "#") {
			continue
		}
		fields := strings.Split(s.Text(), "\t")
		op, ok := expr.FunctionNamed(fields[0])
		if !ok {
			t.Fatalf("%s: no function %s", path, fields[0])
		}
		r, err := parseReference(op, fields[1:])
		if err != nil {
			t.Fatalf("%s: %s: %v", path, s.Text(), err)
		}
		out[op.Name] = append(out[op.Name], r)
	}
	return out
}

func parseReference(op *expr.Op, fields []string) (r reference, err error) {
	if len(fields) < op.Arity+1 {
		return r, fmt.Errorf("too few columns")
	}
	for i, f := range fields {
		if i < op.Arity {
			x, err := strconv.ParseFloat(f, 64)
			if err != nil || !op.Domain[i].Contains(x) {
				return r, fmt.Errorf("operand %d: not in the domain: %w", i+1, err)
			}
			r.args = append(r.args, x)
			continue
		}
		var want *big.Float
		if f != "-" {
			if want, _, err = big.ParseFloat(f, 10, 120, big.ToNearestEven); err != nil {
				return r, err
			}
		}
		r.want = append(r.want, want)
	}
	return r, nil
}

// ulps is the error of got in units in the last place of want. Where want is no float64, got must be infinite too, or 0 up
// to some of the least numbers.
func ulps(got float64, want *big.Float) float64 {
	w, _ := want.Float64()
	if got == w {
		return 0
	}
	if math.IsNaN(got) || math.IsInf(got, 0) || math.IsInf(w, 0) {
		return math.Inf(1)
	}
	d, _ := new(big.Float).Sub(new(big.Float).SetPrec(120).SetFloat64(got), want).Float64()
	size := math.Abs(w)
	return math.Abs(d) / (math.Nextafter(size, math.Inf(1)) - size)
}

// partialAt evaluates the formula of the table for the derivative in operand i.
func partialAt(t *testing.T, op *expr.Op, i int, args []float64) float64 {
	t.Helper()
	e, errs := syntax.Parse(op.Partials[i])
	if len(errs) > 0 {
		t.Fatalf("%s: %s: %v", op.Name, op.Partials[i], errs)
	}
	g := expr.NewGraph()
	names := map[string]*expr.Node{}
	env := eval.Scalars(nil)
	for j, name := range []string{"x", "y"}[:op.Arity] {
		if op.ConstantOperand == j+1 {
			names[name] = g.Const(args[j])
			continue
		}
		names[name] = g.Sym(name, expr.Scalar, expr.In(op.Domain[j]))
		env.Set(name, args[j])
	}
	b := expr.Builder{G: g, Scope: expr.Scope{Names: names, What: "a derivative"}}
	n := b.Build(e)
	if n == nil {
		t.Fatalf("%s: %s: %v", op.Name, op.Partials[i], b.Faults)
	}
	v, err := eval.Eval(n, env)
	if err != nil {
		t.Fatalf("%s: %s at %v: %v", op.Name, op.Partials[i], args, err)
	}
	return v
}

// worst keeps the largest error seen, and where.
type worst struct {
	error, got float64
	at         []float64
	want       *big.Float
}

func (w *worst) see(args []float64, got float64, want *big.Float) {
	if e := ulps(got, want); w.at == nil || e > w.error {
		*w = worst{e, got, args, want}
	}
}

func (w *worst) String() string {
	if w.at == nil {
		return "never"
	}
	return fmt.Sprintf("%.1f ulp at %v: %v, want %v", w.error, w.at, w.got, w.want.Text('g', 20))
}

var _ = reflect.TypeOf
var _ = special.Sign

func TestSearchTemp(t *testing.T) {
	path := os.Getenv("REFS")
	refs := readReferences(t, path)
	list := os.Getenv("LIST")
	for _, op := range expr.Functions {
		rows := refs[op.Name]
		if len(rows) == 0 {
			continue
		}
		for k := range rows[0].want {
			var w worst
			n := [3]int{}
			for _, r := range rows {
				if r.want[k] == nil {
					continue
				}
				var got float64
				if k == 0 {
					got = op.Eval(r.args)
				} else if op.Missing(k - 1) {
					continue
				} else {
					got = partialAt(t, op, k-1, r.args)
				}
				e := ulps(got, r.want[k])
				if e > 3.5 {
					n[0]++
				}
				if e > 10 {
					n[1]++
				}
				if !(e <= 100) {
					n[2]++
				}
				if list == op.Name && e > 3.5 {
					fmt.Printf("%s[%d] %v: %v want %v: %.1f\n", op.Name, k, r.args, got, r.want[k].Text('g', 20), e)
				}
				w.see(r.args, got, r.want[k])
			}
			fmt.Printf("%-20s %d  n=%d >3.5:%d >10:%d >100:%d  %v\n", op.Name, k, len(rows), n[0], n[1], n[2], &w)
		}
	}
}
