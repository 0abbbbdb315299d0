package program

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/expr"
)

// String writes the program for people, a statement a line, which Parse reads. First come the components, what is given other than
// as parts of slices and fields, and the memory. Functions that solve equations have no text, and are named by their unknowns.
func (p *Program) String() string {
	w := &textWriter{}
	w.head(p)
	w.statements(p.Body)
	return w.b.String()
}

// Line writes a statement without those inside it.
func Line(s Stmt) string {
	w := &textWriter{brief: true}
	w.statement(s)
	return strings.TrimSpace(w.b.String())
}

// head writes what a program has besides statements.
func (w *textWriter) head(p *Program) {
	switch {
	case p.OfComponent:
		w.line("for one of %s components", p.Components)
	case p.Components != expr.Dim{}:
		w.line("for %s components", p.Components)
	}
	var given, slots []string
	note := func(place *Place) {
		if text := declaration(place); place.Given != nil && place.Given.needsHead(place.Shape) && !slices.Contains(given, text) {
			given = append(given, text)
		}
	}
	var inStages func(Stmt)
	inStages = func(s Stmt) {
		if s, ok := s.(*Perform); ok {
			Mentions(s.Stage.Body, note)
			Walk(s.Stage.Body, inStages)
		}
	}
	Mentions(p.Body, note)
	Walk(p.Body, inStages)
	slices.Sort(given)
	if len(given) > 0 {
		w.line("given %s", strings.Join(given, ", "))
	}
	for _, s := range p.Slots {
		slots = append(slots, fmt.Sprintf("%d of %s", s.Count, s.Shape))
	}
	if len(slots) > 0 {
		w.line("slots %s", strings.Join(slots, ", "))
	}
}

// needsHead reports whether what is given cannot be told from other places: a name alone, or an array whose lengths a name does
// not have.
func (g *Given) needsHead(s Shape) bool {
	return g.Kind == Variable && g.Part == nil && len(g.At) == 0 && (g.Owner == "" || !s.Number())
}

type textWriter struct {
	b     strings.Builder
	depth int
	brief bool // without what is inside statements
}

func (w *textWriter) line(format string, args ...any) {
	w.b.WriteString(strings.Repeat("\t", w.depth))
	fmt.Fprintf(&w.b, format, args...)
	w.b.WriteByte('\n')
}

func (w *textWriter) statements(stmts []Stmt) {
	for _, s := range stmts {
		w.statement(s)
	}
}

// block writes what is inside a statement.
func (w *textWriter) block(head string, inner func()) {
	if w.brief {
		w.line("%s", head)
		return
	}
	w.line("%s {", head)
	w.depth++
	inner()
	w.depth--
	w.line("}")
}

func (w *textWriter) statement(s Stmt) {
	switch s := s.(type) {
	case *Bind:
		from := "nothing"
		switch {
		case s.From != nil:
			from = s.From.String()
		case s.OfRow():
			from = s.Own.Name + "[here]"
		case s.Own != nil:
			from = s.Own.Name + "[component]"
		}
		verb := "name"
		if s.Out {
			verb = "fill"
		}
		w.line("%s %s = %s", verb, declaration(s.To), from)
	case *Let:
		verb := ""
		if s.Out {
			verb = "result "
		}
		w.line("%s%s = %s", verb, s.To.Name, Formula(s.Value))
	case *Joint:
		w.line("%s = %s%s(%s)", nameList(s.To), s.Value.method(), strings.Join(s.Joint.Ops, ", "), s.Value.operands())
	case *Solve:
		w.line("solve %s = %s(%s)", nameList(s.To), lambdaName(s.Op, s.Fn), operandList(s.Args))
	case *Guard:
		w.line("check %s in %s, condition %d", Formula(s.Value), s.Range, s.Index)
	case *Store:
		free := ""
		if s.Free {
			free = " but for the last component"
		}
		w.line("%s = %s%s", s.To, Formula(s.Value), free)
	case *Return:
		w.line("return %s", Formula(s.Value))
	case *Buffer:
		w.line("memory %s%s, slot %d", s.To.Name, s.To.Shape, s.Slot)
	case *Prepare:
		w.line("%s", prepareText(s))
	case *Call:
		w.line("%s", callText(s))
	case *Each:
		w.each(s)
	case *Rows:
		w.block("for each row"+rangesText(s.Cut)+columnText(s.Columns), func() {
			w.statements(s.Body)
			w.sums(s.Sums)
			w.writes(s.Writes)
		})
	case *Blocks:
		head := "for each block of rows"
		if s.Strata {
			head += " of one component"
		}
		w.block(head+rangesText(s.Cut)+columnText(s.Columns), func() { w.statements(s.Body) })
	case *Components:
		head := "for each component"
		if s.Own {
			head = "for the component of the rows"
		}
		w.block(head, func() { w.statements(s.Body) })
	case *EachRow:
		w.block("for each row of the block", func() { w.statements(s.Body) })
	case *Evaluate:
		w.line("evaluate the model: %s", evaluated(s))
	case *Attained:
		w.line("%s = 1 in row %s, else 0", s.To.Name, s.Index.Name)
	case *Zero:
		w.line("zero %s", s.To.Name)
	case *Add:
		w.line("%s += %s", nameList([]*Place{s.To}), Formula(s.Value))
	case *Perform:
		w.block(performText(s), func() { w.statements(s.Stage.Body) })
	default:
		w.line("a statement of type %T", s)
	}
}

// performText is the head of a stage: what goes in and what comes out, with the names that it has there.
func performText(s *Perform) string {
	text := "stage " + s.Stage.Name
	part := func(word string, outer []*Place, inner func(int) string) {
		for i, p := range outer {
			name := "_"
			if p != nil {
				name = p.Name
			}
			if text += " " + word + " "; i > 0 {
				text = strings.TrimSuffix(text, " "+word+" ") + ", "
			}
			text += name + " as " + inner(i)
		}
	}
	memory := func(b *Buffer) string { return fmt.Sprintf("%s slot %d", declaration(b.To), b.Slot) }
	part("with", s.In, func(i int) string { return declaration(s.Stage.In[i]) })
	part("held", s.Held, func(i int) string { return memory(s.Stage.Held[i]) })
	part("giving", s.Out, func(i int) string { return declaration(s.Stage.Out[i]) })
	if len(s.Stage.Adds) > 0 {
		text += " adding " + nameList(s.Stage.Adds)
	}
	part("kept", s.Kept, func(i int) string { return memory(s.Stage.Kept[i]) })
	return text
}

// rangesText says of a pass that it is cut.
func rangesText(cut bool) string {
	if cut {
		return " in ranges"
	}
	return ""
}

func (w *textWriter) each(s *Each) {
	inner := func() {
		w.statements(s.Body)
		for _, g := range s.Guards {
			w.statement(g)
		}
		w.sums(s.Sums)
		w.writes(s.Writes)
		for _, t := range s.Totals {
			w.line("total %s += %s", t.To.Name, Formula(t.Value))
		}
	}
	if s.WrittenOut() {
		w.block("do", inner)
		return
	}
	head := "for " + strings.Join(s.Shape.loops(), ", ")
	if s.Dots {
		head += " by Dot"
	}
	w.block(head, inner)
}

func (w *textWriter) sums(list []*Sum) {
	for _, s := range list {
		switch {
		case !s.Max:
			w.line("sum %s += weight*(%s)", s.To.Name, Formula(s.Value))
		case s.Index != nil:
			w.line("largest %s, %s of %s", s.To.Name, s.Index.Name, Formula(s.Value))
		default:
			w.line("largest %s of %s", s.To.Name, Formula(s.Value))
		}
	}
}

func (w *textWriter) writes(list []*Write) {
	for _, o := range list {
		op, value := "=", Formula(o.Value)
		if o.Add {
			op = "+="
		}
		if o.Weighted {
			value = "weight*(" + value + ")"
		}
		w.line("%s %s %s", o.To, op, value)
	}
}

// loops are the loops over a shape.
func (s Shape) loops() []string {
	var out []string
	index := []string{"i", "j"}
	if s.Block {
		out, index = append(out, "i < rows"), index[1:]
	}
	for k, d := range s.Dims {
		if k == 1 && s.Lower {
			out = append(out, "j <= i")
			continue
		}
		out = append(out, index[k]+" < "+d.String())
	}
	return out
}

// declaration is a place with its shape.
func declaration(p *Place) string {
	if p.Given != nil && p.Given.Table != nil {
		return p.Name + " = " + tableText(p.Given.Table)
	}
	if p.Shape.Number() {
		return p.Name
	}
	if p.Given != nil && p.Given.Lower {
		return p.Name + p.Shape.String() + " lower"
	}
	return p.Name + p.Shape.String()
}

// tableText writes the numbers of a table.
func tableText(values []float64) string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = Formula(Number(v))
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// String writes the lengths of an array.
func (s Shape) String() string {
	var axes []string
	if s.Stacked {
		axes = append(axes, "components")
	}
	if s.Block {
		axes = append(axes, "rows")
	}
	for _, d := range s.Dims {
		axes = append(axes, d.String())
	}
	out := "[" + strings.Join(axes, ", ") + "]"
	if s.Inside {
		out += " of a component"
	}
	if s.Here {
		out += " of a row"
	}
	return out
}

func nameList(places []*Place) string {
	out := make([]string, len(places))
	for i, p := range places {
		if out[i] = "_"; p != nil {
			out[i] = p.Name
		}
	}
	return strings.Join(out, ", ")
}

func columnText(columns []Column) string {
	var out []string
	for _, c := range columns {
		field := c.Field
		if field == "" {
			field = "data"
		}
		out = append(out, declaration(c.To)+" of "+field)
	}
	if len(out) == 0 {
		return ""
	}
	return " with " + strings.Join(out, ", ")
}

func callText(s *Call) string {
	text := s.Kernel + "(" + operandList(s.Args) + ")"
	switch {
	case s.To != nil:
		return s.To.Name + " = " + text
	case s.Definite && s.Guard >= 0:
		return fmt.Sprintf("check %s, condition %d", text, s.Guard)
	case s.Definite:
		return "check " + text
	}
	return text
}

func operandList(list []Operand) string {
	out := make([]string, len(list))
	for i, a := range list {
		switch {
		case a.Place != nil:
			out[i] = a.Place.Name
		case a.Value != nil:
			out[i] = Formula(a.Value)
		case a.Block:
			out[i] = "rows"
		default:
			out[i] = a.Dim.String()
		}
	}
	return strings.Join(out, ", ")
}

func prepareText(s *Prepare) string {
	if s.View {
		return "prepared " + s.To.Name + " = " + s.Type + "()" + slotText(s)
	}
	return "prepare " + s.To.Name + " = " + s.Type + "(" + Formula(s.Operand) + ")" + slotText(s)
}

// slotText says which memory a preparation has, and for how many calls a row it is made.
func slotText(s *Prepare) string {
	out := fmt.Sprintf(", slot %d", s.Slot)
	if s.Stacked {
		out += " of each component"
	}
	if len(s.Calls) == 0 {
		return out
	}
	var calls []string
	for _, d := range s.Calls {
		calls = append(calls, d.String())
	}
	return out + ", for each of " + strings.Join(calls, "*")
}

func evaluated(s *Evaluate) string {
	out := "gradients"
	switch {
	case s.Values && s.Gradients:
		out = "values, gradients"
	case s.Values:
		out = "values"
	}
	switch s.Terms {
	case expr.EstimatedTerms:
		out += " of the estimated terms"
	case expr.FinerTerms:
		out += " by finer rules"
	}
	return out
}

func lambdaName(op *expr.Op, fn *expr.Lambda) string {
	unknown, _, _ := strings.Cut(fn.Vars[0].Name, "$")
	return op.Name + "<" + unknown + ">"
}

// String writes a number at a place, or an entry.
func (r Ref) String() string {
	if len(r.At) == 0 {
		return r.Place.Name
	}
	out := make([]string, len(r.At))
	for k, i := range r.At {
		out[k] = i.String()
	}
	return r.Place.Name + "[" + strings.Join(out, ", ") + "]"
}

// String writes a subscript; what a place says has an @ in front, as it is counted from 1.
func (i Index) String() string {
	if i.By != nil {
		return "@" + i.By.String()
	}
	switch i.Loop {
	case I:
		return "i"
	case J:
		return "j"
	case Row:
		return "row"
	case Component:
		return "component"
	case Here:
		return "here"
	}
	return fmt.Sprint(i.At)
}

// Formula writes a formula. Sums and products have parentheses where they are operands.
func Formula(e Expr) string {
	switch e := e.(type) {
	case Number:
		return numberText(float64(e))
	case Ref:
		return e.String()
	case *Apply:
		if e != nil {
			return e.String()
		}
		return "nothing"
	case nil:
		return "nothing"
	}
	return fmt.Sprintf("a formula of type %T", e)
}

// numberText writes a number, without a sign where it is positive.
func numberText(x float64) string { return strings.TrimPrefix(fmt.Sprint(x), "+") }

// method names what a function has been prepared in.
func (a *Apply) method() string {
	if a.Prepared == nil {
		return ""
	}
	return a.Prepared.Name + "."
}

// String writes an application.
func (a *Apply) String() string {
	switch {
	case len(a.Coefs) != len(a.Args): // of others, which have none
	case a.Op == expr.Lin:
		return a.sum()
	case a.Op == expr.Prod:
		return a.product()
	}
	switch a.Op {
	case expr.Root, expr.Expectation:
		return lambdaName(a.Op, a.Fn) + "(" + a.operands() + ")"
	}
	return a.method() + a.Op.Name + "(" + a.operands() + ")"
}

// operands lists the operands but for the one that has been prepared for.
func (a *Apply) operands() string {
	var out []string
	for _, e := range a.Args {
		if e != nil {
			out = append(out, Formula(e))
		}
	}
	return strings.Join(out, ", ")
}

func (a *Apply) sum() string {
	var out strings.Builder
	term := func(coef float64, text string) {
		switch negative := coef < 0; {
		case out.Len() > 0 && negative:
			out.WriteString(" - ")
		case out.Len() > 0:
			out.WriteString(" + ")
		case negative:
			out.WriteString("-")
		}
		out.WriteString(text)
	}
	for i, e := range a.Args {
		text, c := atom(e), a.Coefs[i]
		if size := math.Abs(c); size != 1 {
			text = numberText(size) + "*" + text
		}
		term(c, text)
	}
	if a.Const != 0 || len(a.Args) == 0 {
		term(a.Const, numberText(math.Abs(a.Const)))
	}
	return out.String()
}

func (a *Apply) product() string {
	var over, under []string
	for i, e := range a.Args {
		text, c := atom(e), a.Coefs[i]
		if size := math.Abs(c); size != 1 {
			text += "^" + numberText(size)
		}
		if c < 0 {
			under = append(under, text)
		} else {
			over = append(over, text)
		}
	}
	out := strings.Join(over, "*")
	if len(over) == 0 {
		out = "1"
	}
	switch len(under) {
	case 0:
		return out
	case 1:
		return out + "/" + under[0]
	}
	return out + "/(" + strings.Join(under, "*") + ")"
}

// atom writes an operand of a sum or a product.
func atom(e Expr) string {
	if grouped(e) {
		return "(" + Formula(e) + ")"
	}
	return Formula(e)
}

// grouped reports whether an operand has parentheses: a sum, a product, or a number with a sign.
func grouped(e Expr) bool {
	switch e := e.(type) {
	case Number:
		return math.Signbit(float64(e)) && !math.IsNaN(float64(e))
	case *Apply:
		return e != nil && (e.Op == expr.Lin || e.Op == expr.Prod)
	}
	return false
}

// Text writes one statement, with those inside it.
func Text(s Stmt) string {
	w := &textWriter{}
	w.statement(s)
	return w.b.String()
}
