package program

import "reflect"

// Copy is a copy of statements that shares nothing with them but stages, the weights of the rows, tables of numbers, and places where change is
// nil. Otherwise places are copied, and changed by it.
func Copy(stmts []Stmt, change func(*Place)) []Stmt {
	c := copier{places: map[*Place]*Place{}, change: change}
	return c.value(reflect.ValueOf(stmts)).Interface().([]Stmt)
}

var stageType = reflect.TypeFor[*Stage]()

type copier struct {
	places map[*Place]*Place
	change func(*Place)
}

// value copies whatever statements consist of, so that there is nothing to be done for new ones.
func (c *copier) value(v reflect.Value) reflect.Value {
	switch v.Kind() {
	case reflect.Pointer:
		switch {
		case v.IsNil() || foreign(v.Type()) || v.Type() == stageType:
			return v
		case v.Type() == placeType:
			return reflect.ValueOf(c.place(v.Interface().(*Place)))
		}
		out := reflect.New(v.Type().Elem())
		out.Elem().Set(c.value(v.Elem()))
		return out
	case reflect.Interface:
		if v.IsNil() {
			return v
		}
		out := reflect.New(v.Type()).Elem()
		out.Set(c.value(v.Elem()))
		return out
	case reflect.Struct:
		out := reflect.New(v.Type()).Elem()
		out.Set(v)
		for i := range v.NumField() {
			if f := out.Field(i); f.CanSet() {
				f.Set(c.value(v.Field(i)))
			}
		}
		return out
	case reflect.Slice:
		if v.IsNil() {
			return v
		}
		out := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			out.Index(i).Set(c.value(v.Index(i)))
		}
		return out
	}
	return v
}

// place is the copy of a place, the same one wherever it is mentioned.
func (c *copier) place(p *Place) *Place {
	if c.change == nil || p == Weights || p.Given != nil && p.Given.Table != nil {
		return p
	}
	if c.places[p] == nil {
		out := *p
		c.places[p] = &out
		if p.Given != nil {
			g := *p.Given
			out.Given = &g
		}
		c.change(&out)
	}
	return c.places[p]
}
