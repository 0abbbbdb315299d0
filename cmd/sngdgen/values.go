package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/internal/fit"
)

// parameterFlags give dimensions and parameters of a target.
type parameterFlags struct {
	Set   []string `sep:"none" placeholder:"NAME=VALUE" help:"A dimension or a parameter to draw with; may be repeated."`
	Param string   `placeholder:"FILE" help:"JSON file of parameters to draw with; --set goes before it."`
}

// values returns what the flags set, those of --set last, so that they count.
func (f *parameterFlags) values() ([]fit.Value, error) {
	var out []fit.Value
	if f.Param != "" {
		text, err := os.ReadFile(f.Param)
		if err != nil {
			var p *fs.PathError
			if errors.As(err, &p) {
				err = p.Err
			}
			return nil, fmt.Errorf("%s: cannot read the parameters: %w", f.Param, err)
		}
		if out, err = parameterFile(text); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Param, err)
		}
	}
	for _, arg := range f.Set {
		name, text, ok := strings.Cut(arg, "=")
		if !ok || name == "" {
			return nil, usageError{fmt.Errorf("--set %s: write NAME=VALUE", arg)}
		}
		v, err := parseValue(name, []byte(text))
		if err != nil {
			return nil, usageError{fmt.Errorf("--set %s: %w", arg, err)}
		}
		out = slices.DeleteFunc(out, func(old fit.Value) bool { return old.Name == name })
		out = append(out, v)
	}
	return out, nil
}

// parameterFile reads an object of values, or the parameters of a report of a fit.
func parameterFile(text []byte) ([]fit.Value, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return nil, fmt.Errorf("not a JSON object of parameters: %w", err)
	}
	if inner, ok := members["parameters"]; ok && isObject(inner) {
		return parameterFile(inner)
	}
	var out []fit.Value
	for _, name := range slices.Sorted(maps.Keys(members)) {
		v, err := parseValue(name, members[name])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out = append(out, v)
	}
	return out, nil
}

func isObject(text []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) }

// parseValue reads a number, an array of numbers or an array of such rows.
func parseValue(name string, text []byte) (fit.Value, error) {
	v := fit.Value{Name: name}
	var x any
	if err := json.Unmarshal(text, &x); err != nil {
		return v, errors.New("not a number, nor an array of numbers in JSON")
	}
	if number, ok := x.(float64); ok {
		v.Value = number
		return v, nil
	}
	rows, ok := x.([]any)
	if !ok || len(rows) == 0 {
		return v, errors.New("not a number, nor an array of numbers in JSON")
	}
	v.Shape = []int{len(rows)}
	for _, row := range rows {
		if err := appendRow(&v, row); err != nil {
			return v, err
		}
	}
	return v, nil
}

// appendRow takes an entry of a vector, or a row of a matrix as long as those before.
func appendRow(v *fit.Value, row any) error {
	cells, nested := row.([]any)
	first := len(v.Entries) == 0
	switch {
	case !nested:
		cells = []any{row}
	case first:
		v.Shape = append(v.Shape, len(cells))
	}
	if nested != (len(v.Shape) == 2) || nested && len(cells) != v.Shape[1] {
		return errors.New("the rows of a matrix are arrays of one length")
	}
	for _, cell := range cells {
		x, ok := cell.(float64)
		if !ok {
			return fmt.Errorf("the entry %v is not a number", cell)
		}
		v.Entries = append(v.Entries, x)
	}
	return nil
}
