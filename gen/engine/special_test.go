package engine

import (
	"slices"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/spec"
)

// What the tables of functions and of random numbers have, the engine has too.
func TestTables(t *testing.T) {
	for _, j := range expr.Joints {
		if joints[j.Go] == nil {
			t.Errorf("no joint function %s", j.Go)
		}
	}
	for name := range joints {
		if !slices.ContainsFunc(expr.Joints, func(j expr.Joint) bool { return j.Go == name }) {
			t.Errorf("%s is not in the table", name)
		}
	}
	known := map[string]bool{}
	for _, p := range expr.Preparations {
		new(prepared).prepare(p.Type, 2, 1)
		for _, method := range p.Methods {
			name := strings.TrimPrefix(p.Type, "special.") + "." + method
			if known[name] = true; specials[name] == nil {
				t.Errorf("no method %s", name)
			}
		}
	}
	for name := range specials {
		if !known[name] {
			t.Errorf("%s is not in the table", name)
		}
	}
	for _, k := range spec.NoiseKinds() {
		if primitives[k.Name] == nil {
			t.Errorf("no random number %s", k.Name)
		}
	}
	for _, op := range expr.Functions {
		if op.Unary == nil && op.Binary == nil && op.Eval == nil || op.Unary != nil && op.Arity != 1 || op.Binary != nil && op.Arity != 2 {
			t.Errorf("%s cannot be computed", op.Name)
		}
	}
}
