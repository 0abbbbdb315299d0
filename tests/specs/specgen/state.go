package specgen

import "fmt"

// states draws what is carried along the rows, in terms of symbols that are the same for all rows and of those that rows have. Values stay between -1
// and 1 after a row, so that long series do not leave what numbers can hold. The names of states are added to the symbols.
func states(f *formulas, same []symbol, ns *names, indent string) string {
	start := &formulas{r: f.r, symbols: same}
	start.dims = dimsOf(same)
	var list []symbol
	for range 1 + f.r.below(2) {
		s := symbol{name: ns.take(), typ: number(real)}
		if len(f.dims) > 0 && f.r.below(3) == 2 {
			s.typ = vector(real, f.dims[0])
		}
		list = append(list, s)
	}
	f.symbols = append(f.symbols, list...)
	out := indent + "state:\n"
	for _, s := range list {
		f.rows = append(f.rows, s.name)
		begin := fmt.Sprintf("erf(%s)", start.of(s.typ, 1))
		out += fmt.Sprintf("%s  %s: {type: %q, start: %q, next: %q}\n", indent, s.name, s.typ, begin, fmt.Sprintf("erf(%s)", f.of(s.typ, 2)))
	}
	return out
}
