package gen

import (
	"cmp"
	"context"
	"errors"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/internal/diag"
	"github.com/sngdgen/sngdgen/spec"
)

// DefaultBudget is how many nodes may be asked for in all stages of one problem (see expr.Graph.Work): the largest problem
// of the library takes a thirtieth. A million takes about a second.
const DefaultBudget = 4_000_000

// work is what is done for one problem, bounded.
type work struct {
	p      *spec.Problem
	g      *expr.Graph
	places bind.Places
	budget int
}

// bounded does work for a problem within a budget and returns its findings, or what stopped it.
func bounded(ctx context.Context, p *spec.Problem, budget int, do func(*work) diag.List) (diags diag.List) {
	w := &work{p: p, g: expr.NewGraph(), budget: cmp.Or(budget, DefaultBudget)}
	w.g.Bound(ctx, w.budget)
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		stop, ok := r.(expr.Stopped)
		if !ok {
			panic(r)
		}
		diags = w.stopped(stop)
	}()
	w.g.Poll()
	return do(w)
}

// stopped says why work has ended early.
func (w *work) stopped(why expr.Stopped) (diags diag.List) {
	if errors.Is(why, expr.ErrTooLarge) {
		diags.Errorf(w.places.Longest(), "%s needs more than %d operations on formulas, most of them for this one", w.p.Package, w.budget).
			WithHint("derivatives of products of many sums, and of long chains of definitions, grow faster than the formula")
		return diags
	}
	diags.Errorf(w.p.PackageSpan, "%s: stopped: %v", w.p.Package, why.Err)
	return diags
}

// derive binds and derives the problem; nil when the list has errors.
func (w *work) derive(o Options) (*derive.Result, diag.List) {
	p := w.p
	b, diags := bind.In(w.g, p, &w.places)
	if b == nil {
		return nil, diags
	}
	d, err := derive.Options{EstimateAll: o.EstimateAll}.Derive(b)
	if obstacle := (*derive.Obstacle)(nil); errors.As(err, &obstacle) {
		diags.Errorf(p.VI.Span, "%s", obstacle.Reason).WithHint("%s", obstacle.Hint)
		return nil, diags
	}
	if err != nil {
		diags.Errorf(p.PackageSpan, "cannot derive the gradients of %s: %v", p.Package, err)
		return nil, diags
	}
	if n := d.NonFinite(); n != nil {
		diags.Errorf(p.PackageSpan, "the formulas of %s lead to a number that is not finite, in %v", p.Package, n).
			WithHint("look for a division by zero or for 0 to a negative power")
		return nil, diags
	}
	return d, diags
}
