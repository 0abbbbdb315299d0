// Package verify checks programs: that every place is declared before it is used and in one way, that subscripts fit arrays and are
// in range, that operands of kernels have the shapes that these want and do not share memory where they may not, that nothing is
// read before it is written, that memory is not used again while somebody needs what is in it, and that every sum over the rows is
// added up once and read after its pass only.
//
// Planning is checked by it in tests, after every change of a program; a program that it finds fault with has been made by a
// mistake in the generator, whatever the spec.
package verify

import (
	"errors"
	"fmt"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/program"
)

// Program returns what is wrong with a program, nil if nothing is.
func Program(p *program.Program) error { return check(p, true) }

// Unplaced is Program for one whose arrays have no slots yet: each is taken to have memory of its own.
func Unplaced(p *program.Program) error { return check(p, false) }

func check(p *program.Program, placed bool) error {
	v := &verifier{program: p, placed: placed, state: map[*program.Place]state{}, scope: map[*program.Place]bool{}, prepares: map[*program.Place]string{}, outs: map[string]*out{},
		loops: map[program.Loop]extent{}, slots: map[slot]*program.Buffer{}, owner: map[*program.Place]slot{},
		views: map[*program.Place]*program.Place{}}
	if p.OfComponent {
		v.loops[program.Component] = extent{dim: p.Components}
	}
	v.statements(p.Body)
	v.filled(p.Body)
	return errors.Join(v.faults...)
}

// extent is how many values an index takes: a length, or the number of rows of a block, or of all rows.
type extent struct {
	block, all bool
	dim        expr.Dim
}

func (e extent) String() string {
	switch {
	case e.block:
		return "b"
	case e.all:
		return "rows"
	}
	return e.dim.String()
}

// state is what has been written to an array.
type state int

const (
	nothing state = iota
	lower         // the lower triangle of a matrix
	full
)

// slot is memory that arrays of one shape share.
type slot struct {
	shape  string
	number int
}

type verifier struct {
	program *program.Program
	placed  bool // arrays have slots
	faults  []error
	scope   map[*program.Place]bool
	state   map[*program.Place]state
	loops   map[program.Loop]extent
	slots   map[slot]*program.Buffer          // who has it
	owner   map[*program.Place]slot           // of arrays in slots
	views   map[*program.Place]*program.Place // of one component's own values to those of all
	open    []*program.Sum                    // sums of the pass that one is in
	written map[*program.Place]map[string]bool
	// prepares are the types of what has been prepared.
	prepares map[*program.Place]string
	outs     map[string]*out // memory that the program is to fill, by what it is given as
}

func (v *verifier) fault(s program.Stmt, format string, args ...any) {
	v.faults = append(v.faults, fmt.Errorf("%s: %s", program.Line(s), fmt.Sprintf(format, args...)))
}

// statements checks statements one after the other: what they declare is known to those that follow, up to the end.
func (v *verifier) statements(stmts []program.Stmt) {
	for _, s := range stmts {
		v.statement(s)
	}
}

// inside checks what is in a loop: what it declares is out of sight after it.
func (v *verifier) inside(stmts []program.Stmt, check func()) {
	before := map[*program.Place]bool{}
	for p := range v.scope {
		before[p] = true
	}
	v.statements(stmts)
	if check != nil {
		check()
	}
	v.scope = before
}

func (v *verifier) declare(s program.Stmt, places ...*program.Place) {
	for _, p := range places {
		switch {
		case p == nil:
		case p.Given != nil:
			v.fault(s, "%s is given, and declared", p.Name)
		case v.scope[p]:
			v.fault(s, "%s is declared twice", p.Name)
		default:
			v.scope[p] = true
			v.state[p] = full
		}
	}
}

func (v *verifier) statement(s program.Stmt) {
	switch s := s.(type) {
	case *program.Bind:
		v.bind(s)
	case *program.Let:
		v.formula(s, s.Value)
		v.declare(s, s.To)
	case *program.Joint:
		if len(s.To) != len(s.Joint.Ops) {
			v.fault(s, "%d places for %d functions", len(s.To), len(s.Joint.Ops))
		}
		v.formula(s, s.Value)
		v.declare(s, s.To...)
	case *program.Solve:
		v.solve(s)
	case *program.Guard:
		v.formula(s, s.Value)
	case *program.Store:
		v.formula(s, s.Value)
		if v.entry(s, s.To); len(s.To.At) > 0 {
			v.state[s.To.Place] = full // in a loop over what the subscript counts
		}
	case *program.Return:
		v.formula(s, s.Value)
	case *program.Buffer:
		v.buffer(s)
	case *program.Prepare:
		if !s.View {
			v.formula(s, s.Operand)
		}
		v.declare(s, s.To)
		v.prepares[s.To] = s.Type
	case *program.Call:
		v.call(s)
	case *program.Each:
		v.each(s)
	case *program.Rows:
		v.rows(s)
	case *program.Blocks:
		v.blocks(s)
	case *program.Components:
		v.components(s)
	case *program.EachRow:
		v.eachRow(s)
	case *program.Evaluate:
		if !s.Values && !s.Gradients {
			v.fault(s, "an evaluation of nothing")
		}
	case *program.Attained:
		v.number(s, s.Index)
		v.declare(s, s.To)
	case *program.Zero:
		v.declare(s, s.To)
	case *program.Add:
		v.formula(s, s.Value)
		v.number(s, s.To)
	case *program.Perform:
		v.perform(s)
	default:
		v.fault(s, "a statement of type %T", s)
	}
}

func (v *verifier) bind(s *program.Bind) {
	switch {
	case s.From == nil && s.Own == nil:
		v.fault(s, "nothing to name")
	case s.From == nil:
		if v.known(s, s.Own); s.OfRow() {
			v.ofRow(s)
			break
		}
		if !s.Own.Shape.Stacked {
			v.fault(s, "%s is not one for each component", s.Own.Name)
		}
		if _, in := v.loops[program.Component]; !in {
			v.fault(s, "a component's own value outside the loops over components")
		}
	case s.From.Part != nil && s.From.Part.Of == program.OwnComponent:
		if _, in := v.loops[program.Component]; !in {
			v.fault(s, "a component's own value outside the loops over components")
		}
	}
	if v.declare(s, s.To); s.Own != nil {
		if v.state[s.To] = v.state[s.Own]; s.OfRow() && predeclared(s.Own) {
			v.state[s.To] = full
		}
		v.views[s.To] = s.Own
	}
	if s.Out {
		o := v.out(s.From)
		o.names, v.state[s.To] = append(o.names, s.To), o.filled
	}
}

// out is memory that the program is to fill: how much of it stages have filled, and its names. The program and its stages have names of
// their own for it.
type out struct {
	filled state
	names  []*program.Place
}

func (v *verifier) out(g *program.Given) *out {
	key := g.String()
	if v.outs[key] == nil {
		v.outs[key] = &out{}
	}
	return v.outs[key]
}

// filled checks that the memory that a program is to fill has been filled in the end.
func (v *verifier) filled(body []program.Stmt) {
	for _, s := range body {
		if b, ok := s.(*program.Bind); ok && b.Out && v.state[b.To] < full {
			v.fault(s, "%s is not filled", b.To.Name)
		}
	}
}

func (v *verifier) solve(s *program.Solve) {
	for i, a := range s.Args {
		switch {
		case a.Value != nil:
			v.formula(s, a.Value)
		case a.Place != nil:
			v.array(s, a.Place, s.Operand(i))
			v.reads(s, a.Place, full)
		default:
			v.fault(s, "operand %d is nothing", i)
		}
	}
	for i, to := range s.To {
		unknown := s.Result(i)
		switch {
		case to == nil && unknown.Rank > 0:
			v.fault(s, "a vector without memory")
		case unknown.Rank > 0:
			v.array(s, to, unknown)
			v.state[to] = full
		default:
			v.declare(s, to)
		}
	}
}

// array checks that a place is an array of a type.
func (v *verifier) array(s program.Stmt, p *program.Place, t expr.Type) {
	v.known(s, p)
	if want := program.ShapeOf(t); len(want.Dims) != len(p.Shape.Dims) {
		v.fault(s, "%s has %d dimensions, not %d", p.Name, len(p.Shape.Dims), len(want.Dims))
	}
}

// buffer checks memory: what had its slot before is gone.
func (v *verifier) buffer(s *program.Buffer) {
	if s.To.Shape.Number() {
		v.fault(s, "memory for a number")
	}
	v.declare(s, s.To)
	v.state[s.To] = nothing
	delete(v.written, s.To)
	if !v.placed {
		return
	}
	at := slot{s.To.Shape.Key(), s.Slot}
	v.slots[at], v.owner[s.To] = s, at
	room := 0
	for _, q := range v.program.Slots {
		if q.Shape.Equal(s.To.Shape) {
			room = q.Count
		}
	}
	if s.Slot < 0 || s.Slot >= room {
		v.fault(s, "slot %d of %d", s.Slot, room)
	}
}

// known checks that a place has been declared, and that its memory is still its own.
func (v *verifier) known(s program.Stmt, p *program.Place) {
	if p == nil {
		v.fault(s, "an operand is missing")
		return
	}
	if p.Given == nil && !v.scope[p] && !predeclared(p) {
		v.fault(s, "%s is not declared here", p.Name)
	}
	if at, ok := v.owner[p]; ok && v.slots[at].To != p {
		v.fault(s, "the memory of %s has been taken by %s", p.Name, v.slots[at].To.Name)
	}
	for _, sum := range v.open {
		if sum.To == p || sum.Index == p {
			v.fault(s, "%s is not known before the pass has ended", p.Name)
		}
	}
}

// predeclared reports whether a place is known in every pass: the weights of the rows.
func predeclared(p *program.Place) bool { return p == program.Weights }

// number checks the place of a number.
func (v *verifier) number(s program.Stmt, p *program.Place) {
	if v.known(s, p); p != nil && !p.Shape.Number() {
		v.fault(s, "%s is an array", p.Name)
	}
}

// reads checks that an array has been written.
func (v *verifier) reads(s program.Stmt, p *program.Place, want state) {
	there := v.state[p]
	if p.Given != nil {
		if there = full; p.Given.Lower {
			there = max(lower, v.state[p])
		}
	}
	if !predeclared(p) && there < want {
		what := "is read before it is written"
		if there == lower {
			what = "is read above the diagonal, where nothing has been written"
		}
		v.fault(s, "%s %s", p.Name, what)
	}
}

// formula checks the operands of a formula.
func (v *verifier) formula(s program.Stmt, e program.Expr) {
	switch e := e.(type) {
	case program.Number:
	case program.Ref:
		v.entry(s, e)
		v.reads(s, e.Place, v.wanted(e))
	case *program.Apply:
		if e == nil {
			v.fault(s, "a formula is missing")
			return
		}
		v.apply(s, e)
	default:
		v.fault(s, "a formula of type %T", e)
	}
}

// wanted is how much of an array must be there for one entry: an entry next to or below the diagonal is in the lower triangle.
func (v *verifier) wanted(r program.Ref) state {
	if len(r.At) == 2 && !r.Place.Shape.Block {
		i, j := r.At[0], r.At[1]
		triangle := i.Loop == program.I && j.Loop == program.J && v.loops[program.J].dim == (expr.Dim{}) ||
			i.Equal(j) || i.By == nil && j.By == nil && i.Loop == program.NoLoop && j.Loop == program.NoLoop && i.At >= j.At
		if triangle || v.partly(r) {
			return lower
		}
	}
	if v.partly(r) {
		return nothing
	}
	return full
}

// partly reports whether an array of which entries are written one by one has the entry.
func (v *verifier) partly(r program.Ref) bool { return v.written[r.Place][fmt.Sprint(r.At)] }

func (v *verifier) apply(s program.Stmt, e *program.Apply) {
	operand := -1
	if e.Prepared != nil {
		v.known(s, e.Prepared)
		prepared, ok := expr.Preparation(e.Op)
		if !ok {
			v.fault(s, "nothing can be prepared for %s", e.Op.Name)
		}
		operand = prepared.Operand
	}
	if e.Op.Elementwise() && len(e.Args) != e.Op.Arity {
		v.fault(s, "%s of %d operands", e.Op.Name, len(e.Args))
	}
	if (e.Op == expr.Lin || e.Op == expr.Prod) && len(e.Coefs) != len(e.Args) {
		v.fault(s, "%s of %d operands with %d coefficients", e.Op.Name, len(e.Args), len(e.Coefs))
	}
	for i, a := range e.Args {
		if i != operand {
			v.formula(s, a)
		}
	}
}

// entry checks a number, or an entry of an array with its subscripts.
func (v *verifier) entry(s program.Stmt, r program.Ref) {
	v.known(s, r.Place)
	if r.Place == nil {
		return
	}
	axes := v.axes(r.Place)
	if r.Place.Given != nil && len(r.At) == 0 && len(axes) > 0 && r.Place.Given.Part == nil {
		return // a number among what is given: its type is not known here
	}
	if len(r.At) != len(axes) {
		v.fault(s, "%s has %d axes, and %d subscripts", r.Place.Name, len(axes), len(r.At))
		return
	}
	for k, i := range r.At {
		v.subscript(s, r.Place, axes[k], i)
	}
}

func (v *verifier) subscript(s program.Stmt, p *program.Place, axis extent, i program.Index) {
	if i.By != nil { // any number: beyond the ends there is 0
		if axis.block || axis.all {
			v.fault(s, "a row of %s is chosen by what %s says", p.Name, i.By.Place.Name)
		}
		v.entry(s, *i.By)
		v.reads(s, i.By.Place, v.wanted(*i.By))
		return
	}
	if i.Loop == program.NoLoop {
		if axis.block || axis.all || axis.dim.Name != "" || i.At < 0 || i.At >= axis.dim.Size {
			v.fault(s, "entry %d of %s, which has %s", i.At, p.Name, axis)
		}
		return
	}
	bound, in := v.loops[i.Loop]
	if !in {
		v.fault(s, "a subscript of %s is that of no loop here", p.Name)
		return
	}
	if i.Loop == program.J && bound == (extent{}) { // up to the index of the row
		bound = v.loops[program.I]
	}
	if i.Loop == program.Row && axis.block {
		return // a column: all rows lie in one array
	}
	if bound != axis {
		v.fault(s, "a subscript of %s takes %s values, the axis has %s", p.Name, bound, axis)
	}
}

// axes are the axes of an array in its memory: components, rows, those of a value.
func (v *verifier) axes(p *program.Place) []extent {
	var out []extent
	if p.Shape.Stacked && !p.Shape.Block {
		out = append(out, extent{dim: v.program.Components})
	}
	if p.Shape.Block {
		out = append(out, extent{block: true})
	}
	if p.Shape.Stacked && p.Shape.Block {
		out = append(out, extent{dim: v.program.Components})
	}
	for _, d := range p.Shape.Dims {
		out = append(out, extent{dim: d})
	}
	return out
}
