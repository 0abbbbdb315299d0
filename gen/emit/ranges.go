package emit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/sngdgen/sngdgen/gen/methods"
	"github.com/sngdgen/sngdgen/gen/plan"
	"github.com/sngdgen/sngdgen/gen/program"
)

// Passes over the rows are cut into ranges, which workers share (support.Pass). Such a pass is a method for the rows from one to another. What
// it reads of the function that it belongs to is handed to it in fields; of memory that it needs for itself every worker has its own, in a
// copy of the model.

// passField is the field with what is handed to passes, helpName the method that makes copies of the model, ownType the type of what these
// do not share.
const (
	passField = "pass"
	helpName  = "help"
	ownType   = "workspace"
)

// rowsOfPass are the rows that a pass goes over, for those who need to know whether other processes have some; nil where they never do.
func (f *file) rowsOfPass() jen.Code {
	if f.Variational() != nil {
		return jen.Nil()
	}
	return line("p.Rows")
}

// checkUndivided refuses data of which other processes have some rows, where a function needs all of them.
func (f *file) checkUndivided() []jen.Code {
	if f.Undivided == "" {
		return nil
	}
	return []jen.Code{ifError(jen.Qual(supportModule, "CheckUndivided").Call(line("d")))}
}

// enumerated is a list in words.
func enumerated(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// overRanges writes the call of a pass, and the method that it is.
//
//	p.Have(<column>, &p.<column>) where no step reads it
//	p.pass.TakeArrays(<arrays>)
//	p.pass.TakeNumbers(<numbers>)
//	p.pass.Over(p, p.Rows, p.W.Len(), support.Added{Sums: 1, Arrays: 1}, (*Model).<pass>, (*Model).help)
//	<sum> := p.pass.Sums[0]
//
// Of a posterior, whose log joint density is computed at every draw and often has few rows, it is
//
//	if rows := p.W.Len(); p.pass.OneBlock(rows, 1) { p.<pass>(0, rows) } else { p.pass.Over(...) }
func (b body) overRanges(s program.Stmt) []jen.Code {
	call := b.file.rowPasses[s]
	pass, h := call.Of, call.Handed
	if call.Stmt == s {
		b.passMethod(call)
	}
	b.file.hasPasses = true
	out := append(b.file.have(methods.ColumnsOf(s)...), handOver(h)...)
	added := fmt.Sprintf("Arrays: %d", len(pass.Adds))
	if len(h.Largest) > 0 {
		added = fmt.Sprintf("Largest: %d, ", len(h.Largest)) + added
	}
	if len(h.Sums) > 0 {
		added = fmt.Sprintf("Sums: %d, ", len(h.Sums)) + added
	}
	if len(pass.Adds) == 0 {
		added = strings.TrimSuffix(strings.TrimSuffix(added, "Arrays: 0"), ", ")
	}
	model := "p"
	if strings.HasPrefix(b.prog.Name, methods.UnconstrainedPrefix) {
		model = "(*Model)(p)"
	}
	over := func(rows jen.Code) jen.Code {
		return line("p.%s.Over", passField).Call(line("%s", model), b.file.rowsOfPass(), rows,
			jen.Qual(supportModule, "Added").Values(line("%s", added)), line("(*Model).%s", call.Name), line("(*Model).%s", helpName))
	}
	if b.file.Variational() != nil && len(h.Largest) == 0 {
		out = append(out, jen.If(line("rows := ").Add(b.columns.count()), line("p.%s.OneBlock(rows, %d)", passField, len(h.Sums))).
			Block(line("p.%s(0, rows)", call.Name)).Else().Block(over(jen.Id("rows"))))
	} else {
		out = append(out, over(b.columns.count()))
	}
	for k, a := range pass.Adds { // which a pass in ranges has put others in the place of
		if a.Given != nil && h.Fields[a.Given.Name] {
			out = append(out, line("p.%s = p.%s.Arrays[%d]", a.Given.Name, passField, k))
		}
	}
	var sums, from []string
	for _, s := range slices.Concat(h.Sums, h.Largest) {
		if !h.Unread[s.To] {
			sums, from = append(sums, s.To.Name), append(from, fmt.Sprintf("p.%s.Sums[%d]", passField, h.Sum(s)))
		}
		if s.Index != nil && !h.Unread[s.Index] {
			sums, from = append(sums, s.Index.Name), append(from, fmt.Sprintf("int(p.%s.Sums[%d])", passField, h.Sum(s)+1))
		}
	}
	return append(out, assigned(sums, ":=", from)...)
}

// handOver hands arrays and numbers to a pass.
func handOver(h *methods.Handed) (out []jen.Code) {
	var arrays, numbers []jen.Code
	for _, name := range h.Arrays {
		if h.Fields[name] {
			name = "p." + name
		}
		arrays = append(arrays, jen.Id(name))
	}
	for _, name := range h.Numbers {
		if number := jen.Id(name); h.Indices[name] {
			numbers = append(numbers, jen.Float64().Call(number))
		} else {
			numbers = append(numbers, number)
		}
	}
	if len(arrays) > 0 {
		out = append(out, line("p.%s.TakeArrays", passField).Call(arrays...))
	}
	if len(numbers) > 0 {
		out = append(out, line("p.%s.TakeNumbers", passField).Call(numbers...))
	}
	return out
}

// order is that of parameters: arrays, rows, numbers.
func order(h *methods.Handed, name string) int {
	switch {
	case h.Indices[name]:
		return 1
	case slices.Contains(h.Numbers, name):
		return 2
	}
	return 0
}

// passed is something that is handed to a pass: its name there, where it is on the way, and what it is taken from.
type passed struct{ name, place, from string }

// slots are what is handed to a pass, fields of the model last.
func slotsOf(h *methods.Handed) []passed {
	var out, fields []passed
	for k, name := range h.Arrays {
		x := passed{name: name, place: fmt.Sprintf("p.%s.Arrays[%d]", passField, k)}
		if x.from = x.place; h.Fields[name] {
			x.name = "p." + name
			fields = append(fields, x)
		} else {
			out = append(out, x)
		}
	}
	for k, name := range h.Numbers {
		x := passed{name: name, place: fmt.Sprintf("p.%s.Numbers[%d]", passField, k)}
		if x.from = x.place; h.Indices[name] {
			x.from = "int(" + x.place + ")"
		}
		out = append(out, x)
	}
	slices.SortStableFunc(out, func(a, b passed) int { return cmp.Compare(order(h, a.name), order(h, b.name)) })
	return append(out, fields...)
}

// assigned sets several names, as many in a line as there is room for.
func assigned(names []string, op string, values []string) []jen.Code {
	var out []jen.Code
	for len(names) > 0 {
		count, width := 0, 0
		for ; count < len(names); count++ {
			width += len(names[count]) + len(values[count]) + 4
			if count > 0 && width > widestTogether+20 {
				break
			}
		}
		out = append(out, jen.List(ids(names[:count])...).Op(op).List(ids(values[:count])...))
		names, values = names[count:], values[count:]
	}
	return out
}

// passMethod writes the method of a pass. What it reads has names of its own, which compilers keep where they are, and not in the registers that
// loops need.
//
//	func (p *Model) <pass>(start, end int) {
//		<d>, b := p.<d>, end-start
//		<array> := p.pass.Arrays[0][:<d>]
//		<number> := p.pass.Numbers[0]
//		...
//		p.pass.Sums[0] += <sum>
//	}
func (b body) passMethod(call *methods.PassCall) {
	s, h := call.Stmt, call.Handed
	b.used, b.handed, b.summed = map[string]bool{}, h, summedUp(s)
	var head []jen.Code
	var arrays, numbers []declaration
	for _, x := range slotsOf(h) {
		switch size := h.Shapes[x.name]; {
		case strings.HasPrefix(x.name, "p."):
			head = append(head, line("%s = %s", x.name, x.place))
		case order(h, x.name) > 0:
			numbers = append(numbers, declaration{name: x.name, value: x.from})
		default:
			value := x.from
			if _, ok := h.Shapes[x.name]; ok { // so that the compiler knows how long it is
				n := b.size(size)
				if size.Stacked {
					n = joinedBy("*", b.dim(b.components), n)
				}
				value += "[:" + n + "]"
			}
			arrays = append(arrays, declaration{name: x.name, value: value})
		}
	}
	head = slices.Concat(head, together(arrays), together(numbers))
	for _, place := range h.Prepared {
		head = append(head, b.preparedView(place))
	}
	inner := b.stmt(s)
	for _, s := range h.Sums {
		if !b.summed[s.To] {
			inner = append(inner, b.handBack(s.To))
		}
	}
	for _, s := range h.Largest {
		if inner = append(inner, line("p.%s.Sums[%d] = %s", passField, h.Sum(s), s.To.Name)); s.Index != nil {
			inner = append(inner, line("p.%s.Sums[%d] = float64(%s)", passField, h.Sum(s)+1, s.Index.Name))
		}
	}
	var lengths []declaration
	for _, d := range b.file.Dims {
		if name := plan.DimName(d); b.used[name] {
			lengths = append(lengths, declaration{name: name, value: "p." + name})
		}
	}
	if b.used[rowsOfBlock] {
		lengths = append(lengths, declaration{name: "b", value: "end - start"})
	}
	doc := comments(wrapped(call.Name + " is a pass of " + enumerated(call.Users) + " over the rows of a block."))
	b.file.decls = append(b.file.decls, jen.Add(doc, method(call.Name).Params(jen.List(jen.Id("start"), jen.Id("end")).Int()).
		Block(slices.Concat(together(lengths), head, inner)...)))
}

// rowsOfBlock is used where the number of rows of a block is, which the method of a pass declares with the lengths.
const rowsOfBlock = "rows of the block"

// joinedBy joins texts that are not empty.
func joinedBy(by string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), by)
}

// preparedView is the declaration of functions that have been prepared.
func (b body) preparedView(place *program.Place) jen.Code {
	var out jen.Code
	program.Walk(b.prog.Body, func(s program.Stmt) {
		if l, ok := s.(*program.Prepare); ok && l.To == place {
			view := *l
			view.View = true
			out = b.preparation(&view)[0]
		}
	})
	return out
}

// ownMemory notes memory that every worker has for itself.
func (f *file) ownMemory(name, size string) {
	if f.owned == nil {
		f.owned = map[string]string{}
	}
	f.owned[name] = size
}

// helps reports whether workers help with passes.
func (f *file) helps() bool { return f.hasPasses }

// ownFields are the fields of what workers have for themselves.
func (f *file) ownFields() []jen.Code {
	bySize := map[string][]string{}
	for name, size := range f.owned {
		bySize[size] = append(bySize[size], name)
	}
	var fields []jen.Code
	for _, size := range slices.Sorted(maps.Keys(bySize)) {
		slices.SortFunc(bySize[size], naturally)
		fields = append(fields, arrayFields(bySize[size], size)...)
	}
	for _, name := range slices.Sorted(maps.Keys(f.preparedTypes)) {
		fields = append(fields, f.preparedDeclaration(name))
	}
	if f.Variational() != nil {
		fields = append(fields, f.scanDeclarations()...)
	}
	for i := range f.predictors {
		fields = append(fields, jen.Id(groupField(i)).Qual(supportModule, "Linear").Comment("at a group of draws"))
	}
	return fields
}

// naturally compares names that end with numbers.
func naturally(a, b string) int {
	if len(a) != len(b) && strings.TrimRight(a, "0123456789") == strings.TrimRight(b, "0123456789") {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}

// arrayFields are fields for memory, several in a line where their names are short.
func arrayFields(names []string, comment string) (fields []jen.Code) {
	const width = 64 // of the names in a line
	for len(names) > 0 {
		n, length := 1, len(names[0])
		for ; n < len(names) && length+len(names[n])+2 <= width; n++ {
			length += len(names[n]) + 2
		}
		fields = append(fields, jen.List(ids(names[:n])...).Index().Float64().Comment(comment))
		names = names[n:]
	}
	return fields
}

// preparedApart reports whether prepared functions are memory that a model allocates, not a part of it: their tables may be large, and a model is copied to workers.
// A model without memory has them in itself.
func (f *file) preparedApart() bool { return f.Shaped() }

// preparedDeclaration is the field of prepared functions.
func (f *file) preparedDeclaration(name string) jen.Code {
	field := jen.Id(name)
	switch {
	case f.preparedTypes[name].each:
		field = field.Index()
	case f.preparedApart():
		field = field.Op("*")
	}
	return field.Add(f.preparedQualified(name)).Comment("prepared functions")
}

// preparedQualified is the type of prepared functions.
func (f *file) preparedQualified(name string) jen.Code {
	_, typ, _ := strings.Cut(f.preparedTypes[name].typ, ".")
	return jen.Qual(module+"/special", typ)
}

// preparedMemory makes prepared functions in a field, of which there are so many where there is one for each component.
func (f *file) preparedMemory(field, name string, count jen.Code) jen.Code {
	if f.preparedTypes[name].each {
		return jen.Id(field).Op("=").Make(jen.Index().Add(f.preparedQualified(name)), count)
	}
	return jen.Id(field).Op("=").New(f.preparedQualified(name))
}

// helpers writes what workers have for themselves, and the methods that give them a copy of the model.
func (f *file) helpers() {
	if !f.helps() {
		return
	}
	f.add(ownType+" is memory of passes over the rows, of which every worker has its own.", jen.Type().Id(ownType).Struct(f.ownFields()...))
	var made []jen.Code
	names := slices.SortedFunc(maps.Keys(f.owned), func(a, b string) int {
		if c := strings.Compare(f.owned[a], f.owned[b]); c != 0 {
			return c
		}
		return naturally(a, b)
	})
	for part := range chunked(names, func(a, b string) bool { return f.owned[a] == f.owned[b] }) {
		args := []jen.Code{jen.Id(f.owned[part[0]])}
		for _, name := range part {
			args = append(args, jen.Id("&clone."+name))
		}
		made = append(made, jen.Qual(supportModule, "Make").Call(args...))
	}
	body := []jen.Code{line("own, crew := clone.%s, clone.%s.Crew", ownType, passField), line("*clone = *p"), line("clone.%s, clone.%s.Crew = own, crew", ownType, passField)}
	var follow []jen.Code
	first := ""
	if len(names) > 0 {
		first = names[0]
	}
	for _, name := range slices.Sorted(maps.Keys(f.preparedTypes)) {
		each := f.preparedTypes[name].each
		if !each && !f.preparedApart() {
			follow = append(follow, line("clone.%[1]s.Follow(&p.%[1]s)", name))
			continue
		}
		if made = append(made, f.preparedMemory("clone."+name, name, line("len(p.%s)", name))); first == "" {
			first = name
		}
		if !each {
			follow = append(follow, line("clone.%[1]s.Follow(p.%[1]s)", name))
			continue
		}
		follow = append(follow, jen.For(line("i := range clone.%s", name)).Block(line("clone.%[1]s[i].Follow(&p.%[1]s[i])", name)))
	}
	if len(made) > 0 {
		body = append(body, jen.If(line("clone.%s == nil", first)).Block(f.declareDims(made)...))
	}
	body = append(append(body, follow...), line("return &clone.%s", passField))
	f.add(helpName+" makes another model a copy of this one for a worker, with memory of its own.",
		method(helpName).Params(line("clone *Model")).Op("*").Qual(supportModule, "Pass").Index(jen.Id("Model")).Block(body...))
	pool := func() *jen.Statement { return jen.Op("*").Qual(workersModule, "Pool") }
	f.add("SetWorkers gives the model workers for passes over the rows, nil for none, and returns those that it had. What is computed does\nnot depend on them.",
		short(method("SetWorkers").Params(jen.Id("w").Add(pool())).Add(pool()), line("return p.%s.SetWorkers(w)", passField)))
}

// chunked are the runs of a list whose neighbours are alike.
func chunked(list []string, alike func(a, b string) bool) func(func([]string) bool) {
	return func(yield func([]string) bool) {
		for len(list) > 0 {
			n := 1
			for n < len(list) && alike(list[n-1], list[n]) {
				n++
			}
			if !yield(list[:n]) {
				return
			}
			list = list[n:]
		}
	}
}

// helperFields are the fields of a model with which workers help.
func (f *file) helperFields() []jen.Code {
	if !f.helps() {
		return nil
	}
	return []jen.Code{jen.Id(ownType), jen.Id(passField).Qual(supportModule, "Pass").Index(jen.Id("Model")).Comment("over the rows, in ranges")}
}

// cloneCrew gives a clone workers of its own, before it allocates anything.
func (f *file) cloneCrew() []jen.Code {
	if f.helps() {
		return append(one(line("clone.%[1]s = p.%[1]s.Fresh()", passField)), f.cloneGroups()...)
	}
	return nil
}

// cloneGroups gives a clone linear predictors of its own.
func (f *file) cloneGroups() (out []jen.Code) {
	for i := range f.predictors {
		out = append(out, jen.Id("clone."+groupField(i)).Op("=").Qual(supportModule, "Linear").Values())
	}
	return out
}

// forgetHelpers drops the memory of workers, when lengths change.
func (f *file) forgetHelpers() []jen.Code {
	if !f.helps() {
		return nil
	}
	return []jen.Code{line("p.%s.Forget()", passField)}
}
