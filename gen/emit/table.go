package emit

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"
)

// mostInLine is the length of a line of numbers.
const mostInLine = 110

// tableVariables writes the arrays of numbers that formulas have.
func (f *file) tableVariables() {
	for _, p := range f.Tables.All() {
		var text strings.Builder
		width := 0
		for i, v := range p.Given.Table {
			number := strconv.FormatFloat(v, 'g', -1, 64) + ","
			if width += len(number) + 1; i == 0 || width > mostInLine {
				text.WriteByte('\n')
				width = len(number)
			}
			text.WriteString(number + " ")
		}
		f.add(fmt.Sprintf("%s are %d numbers of the spec, or made of these.", p.Name, len(p.Given.Table)),
			jen.Var().Id(p.Name).Op("=").Index().Float64().Op("{"+text.String()+"\n}"))
	}
}
