package program

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// Renaming is a correspondence, one to one, between the places of statements that are the same but for these.
type Renaming struct{ to, back map[*Place]*Place }

// NewRenaming is one of no places.
func NewRenaming() *Renaming { return &Renaming{map[*Place]*Place{}, map[*Place]*Place{}} }

// Of is what corresponds to a place, the place itself where nothing does.
func (r *Renaming) Of(p *Place) *Place {
	if q := r.to[p]; q != nil {
		return q
	}
	return p
}

// Back is what a place corresponds to, nil where it corresponds to nothing.
func (r *Renaming) Back(q *Place) *Place { return r.back[q] }

// Alike reports whether statements are the same but for places, those of the one corresponding to those of the other as they have before.
// Whatever statements consist of is compared, so that there is nothing to be done for new ones. What is given has to be the same.
func (r *Renaming) Alike(a, b Stmt) bool { return r.alike(reflect.ValueOf(a), reflect.ValueOf(b)) }

func (r *Renaming) alike(a, b reflect.Value) bool {
	if a.IsValid() != b.IsValid() || !a.IsValid() {
		return a.IsValid() == b.IsValid()
	}
	if a.Type() != b.Type() {
		return false
	}
	switch a.Kind() {
	case reflect.Pointer:
		switch {
		case a.IsNil() || b.IsNil():
			return a.IsNil() && b.IsNil()
		case a.Type() == placeType:
			return r.place((*Place)(a.UnsafePointer()), (*Place)(b.UnsafePointer()))
		case foreign(a.Type()):
			return a.Pointer() == b.Pointer()
		}
		return r.alike(a.Elem(), b.Elem())
	case reflect.Interface:
		return r.alike(a.Elem(), b.Elem())
	case reflect.Struct:
		for i := range a.NumField() {
			if !r.alike(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Slice, reflect.Array:
		if a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !r.alike(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Float64:
		return math.Float64bits(a.Float()) == math.Float64bits(b.Float())
	}
	return a.Equal(b)
}

func (r *Renaming) place(p, q *Place) bool {
	if p == Weights || q == Weights {
		return p == q
	}
	if (p.Given == nil) != (q.Given == nil) || p.Given == nil && !p.Shape.Equal(q.Shape) {
		return false
	}
	if p.Given != nil && !(p.Shape.Equal(q.Shape) && r.alike(reflect.ValueOf(p.Given), reflect.ValueOf(q.Given))) {
		return false
	}
	to, known := r.to[p]
	back, other := r.back[q]
	if known && to != q || other && back != p {
		return p.Given != nil // several places may be of one thing that is given
	}
	r.to[p], r.back[q] = q, p
	return true
}

var placeType = reflect.TypeFor[*Place]()

// foreign are pointers to what is no part of statements, which is the same where it is the same thing.
func foreign(t reflect.Type) bool {
	return !strings.HasSuffix(t.Elem().PkgPath(), "gen/program")
}

// Key is a text that statements which are the same but for places have in common.
func Key(s Stmt) string {
	w := &keyWriter{places: map[*Place]int{}}
	w.value(reflect.ValueOf(s))
	return w.b.String()
}

type keyWriter struct {
	b      strings.Builder
	places map[*Place]int
	digits [20]byte
}

// number writes a number, and what ends it.
func (w *keyWriter) number(x uint64) {
	w.b.Write(append(strconv.AppendUint(w.digits[:0], x, 36), ';'))
}

func (w *keyWriter) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Invalid:
		w.b.WriteByte('-')
	case reflect.Pointer:
		switch {
		case v.IsNil():
			w.b.WriteByte('-')
		case v.Type() == placeType:
			w.place((*Place)(v.UnsafePointer()))
		case foreign(v.Type()):
			w.number(uint64(v.Pointer()))
		default:
			w.value(v.Elem())
		}
	case reflect.Interface:
		if !v.IsNil() {
			w.b.WriteString(v.Elem().Type().String())
		}
		w.value(v.Elem())
	case reflect.Struct:
		w.b.WriteByte('{')
		for i := range v.NumField() {
			w.value(v.Field(i))
		}
		w.b.WriteByte('}')
	case reflect.Slice, reflect.Array:
		w.b.WriteByte('[')
		for i := range v.Len() {
			w.value(v.Index(i))
		}
		w.b.WriteByte(']')
	case reflect.String:
		w.b.WriteString(v.String())
		w.b.WriteByte(';')
	case reflect.Bool:
		if v.Bool() {
			w.b.WriteByte('t')
		} else {
			w.b.WriteByte('f')
		}
	case reflect.Float64:
		w.number(math.Float64bits(v.Float()))
	case reflect.Func, reflect.Map, reflect.Chan, reflect.UnsafePointer:
		w.number(uint64(v.Pointer()))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		w.number(uint64(v.Int()))
	default:
		fmt.Fprintf(&w.b, "%v;", v)
	}
}

func (w *keyWriter) place(p *Place) {
	switch {
	case p == Weights:
		w.b.WriteByte('w')
	case p.Given != nil:
		w.value(reflect.ValueOf(*p.Given))
	default:
		if _, ok := w.places[p]; !ok {
			w.places[p] = len(w.places)
			w.value(reflect.ValueOf(p.Shape))
		}
		w.b.WriteByte('$')
		w.number(uint64(w.places[p]))
	}
}
