package syntax

import "slices"

// Walk calls f for a node and, where f returns true, for the nodes below it, from left to right.
func Walk(e Expr, f func(Expr) bool) {
	if e == nil || !f(e) {
		return
	}
	switch e := e.(type) {
	case *Unary:
		Walk(e.X, f)
	case *Binary:
		Walk(e.X, f)
		Walk(e.Y, f)
	case *Compare:
		Walk(e.X, f)
		Walk(e.Y, f)
	case *Call:
		for _, a := range e.Args {
			Walk(a, f)
		}
		for _, a := range e.Params {
			Walk(a, f)
		}
	case *Index:
		Walk(e.X, f)
		for _, a := range e.Subs {
			Walk(a, f)
		}
	case *Slice:
		Walk(e.From, f)
		Walk(e.To, f)
	case *List:
		for _, a := range e.Items {
			Walk(a, f)
		}
	case *In:
		Walk(e.Over, f)
	case *Interval:
		Walk(e.Lo, f)
		Walk(e.Hi, f)
	case *Onward:
		Walk(e.From, f)
	}
}

// Equal reports whether two trees are the same up to positions and the spelling of numbers.
func Equal(a, b Expr) bool {
	switch a := a.(type) {
	case *Number:
		b, ok := b.(*Number)
		return ok && a.Value == b.Value
	case *Name:
		b, ok := b.(*Name)
		return ok && a.Name == b.Name
	case *Unary:
		b, ok := b.(*Unary)
		return ok && a.Op == b.Op && Equal(a.X, b.X)
	case *Binary:
		b, ok := b.(*Binary)
		return ok && a.Op == b.Op && Equal(a.X, b.X) && Equal(a.Y, b.Y)
	case *Compare:
		b, ok := b.(*Compare)
		return ok && a.Op == b.Op && Equal(a.X, b.X) && Equal(a.Y, b.Y)
	case *Call:
		b, ok := b.(*Call)
		return ok && a.Fun == b.Fun && slices.EqualFunc(a.Args, b.Args, Equal) &&
			slices.EqualFunc(a.Params, b.Params, Equal)
	case *Index:
		b, ok := b.(*Index)
		return ok && Equal(a.X, b.X) && slices.EqualFunc(a.Subs, b.Subs, Equal)
	case *Slice:
		b, ok := b.(*Slice)
		return ok && Equal(a.From, b.From) && Equal(a.To, b.To)
	case *List:
		b, ok := b.(*List)
		return ok && slices.EqualFunc(a.Items, b.Items, Equal)
	case *In:
		b, ok := b.(*In)
		return ok && a.Name.Name == b.Name.Name && Equal(a.Over, b.Over)
	case *Interval:
		b, ok := b.(*Interval)
		return ok && Equal(a.Lo, b.Lo) && Equal(a.Hi, b.Hi)
	case *Onward:
		b, ok := b.(*Onward)
		return ok && Equal(a.From, b.From)
	}
	return a == nil && b == nil
}
