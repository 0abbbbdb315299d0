package emit

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/sngdgen/sngdgen/gen/program"
)

// eachRow writes a loop over the rows of a block, for what is done with the matrices of one row.
//
//	for row := range b { ... }
func (b body) eachRow(s *program.EachRow) jen.Code {
	inner := b.stmts(s.Body)
	return jen.For(jen.Id("row").Op(":=").Range().Id(b.use("b"))).Block(inner...)
}

// ownOfRow is what a row has of memory of the rows. Of what is given there are all rows, of other memory those of a block.
func (b body) ownOfRow(s *program.Bind) string {
	name, at, next := s.Own.Name, "row", "(row+1)"
	if s.Own.Given != nil {
		name, at, next = b.value(s.Own.Given), "(start+row)", "(start+row+1)"
	}
	size := b.size(program.Shape{Dims: s.Own.Shape.Dims})
	if size == "" {
		return fmt.Sprintf("%s[%s]", name, at)
	}
	return fmt.Sprintf("%s[%s*%s:%s*%s]", name, at, size, next, size)
}
