package emit

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/sngdgen/sngdgen/gen/plan"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// What a package says of itself is a value of the type that it has at run time, which is printed as Go, and which the engine hands out
// as it is.

// blocks prints the coordinates, with places that depend on the lengths.
func (f *file) blocks() []jen.Code {
	var out []jen.Code
	for _, c := range f.Coordinates {
		list := []jen.Code{field("Name", jen.Lit(c.Block.Name)), field("Offset", jen.Id(lengthText(c.Offset))), field("Len", jen.Id(lengthText(c.Len)))}
		if c.Copies {
			list = append(list, field("Copies", jen.Id(plan.DimName(f.Components))))
		}
		c.Block.Name = ""
		out = append(out, jen.Values(append(list, fields(reflect.ValueOf(c.Block))...)...))
	}
	return out
}

// literal prints a value of a type of package runtime: fields that are not zero, in the order of their declaration, and elements of a
// list one a line unless all are short.
func literal(v reflect.Value) jen.Code {
	if t, ok := v.Interface().(types.Type); ok {
		return typeOf(t)
	}
	switch v.Kind() {
	case reflect.Struct:
		return runtimeType(v.Type().Name()).Add(braces(v))
	case reflect.Float64:
		return number(v.Float()).Statement
	case reflect.Slice:
		element := jen.Code(jen.String())
		if e := v.Type().Elem(); e.Kind() == reflect.Struct {
			element = runtimeType(e.Name())
		}
		return jen.Index().Add(element).Add(braces(v))
	}
	if v.Kind() == reflect.String {
		return longText(v.String())
	}
	return jen.Lit(v.Interface())
}

// longText is a string, in parts where it is too long for a line.
func longText(text string) *jen.Statement {
	const most = 90
	out := jen.Null()
	for len(text) > most {
		at := strings.LastIndexByte(text[:most], ' ') + 1
		if at == 0 {
			break
		}
		out.Lit(text[:at]).Op("+").Line()
		text = text[at:]
	}
	return out.Lit(text)
}

// braces is what stands behind the type of a literal.
func braces(v reflect.Value) jen.Code {
	list := fields(v)
	if v.Kind() == reflect.Slice {
		for i := range v.Len() {
			if e := v.Index(i); e.Kind() == reflect.Struct {
				list = append(list, braces(e))
			} else {
				list = append(list, literal(e))
			}
		}
	}
	if long(v.Type()) {
		return lines(inLines(v, list)...)
	}
	return jen.Values(list...)
}

// inLines puts short fields of a struct that follow each other into one line.
func inLines(v reflect.Value, list []jen.Code) (out []jen.Code) {
	if v.Kind() != reflect.Struct {
		return list
	}
	var together []jen.Code
	width, at := 0, 0
	flush := func() {
		if len(together) > 0 {
			out = append(out, jen.List(together...))
		}
		together, width = nil, 0
	}
	for i := range v.NumField() {
		x := v.Field(i)
		if x.IsZero() {
			continue
		}
		field := list[at]
		at++
		switch x.Kind() {
		case reflect.String, reflect.Bool, reflect.Int:
			size := len(v.Type().Field(i).Name) + len(fmt.Sprint(x.Interface())) + 6
			if width+size > widestTogether {
				flush()
			}
			together, width = append(together, field), width+size
		default:
			flush()
			out = append(out, field)
		}
	}
	flush()
	return out
}

// fields are those of a struct that are not zero.
func fields(v reflect.Value) (list []jen.Code) {
	if v.Kind() != reflect.Struct {
		return nil
	}
	for i := range v.NumField() {
		if x := v.Field(i); !x.IsZero() {
			list = append(list, field(v.Type().Field(i).Name, literal(x)))
		}
	}
	return list
}

// long reports whether a literal has its elements in lines of their own: a list of parameters, and what has one.
func long(t reflect.Type) bool {
	parameters := reflect.TypeFor[[]runtime.Parameter]()
	if t.Kind() == reflect.Slice {
		return t == parameters || long(t.Elem())
	}
	if t.Kind() != reflect.Struct {
		return false
	}
	for i := range t.NumField() {
		if t.Field(i).Type == parameters {
			return true
		}
	}
	return false
}
