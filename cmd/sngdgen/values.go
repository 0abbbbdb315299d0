package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// parameterFlags give dimensions and parameters of a target.
type parameterFlags struct {
	Set   []string `sep:"none" placeholder:"NAME=VALUE" help:"A dimension or a parameter to draw with; may be repeated."`
	Param string   `placeholder:"FILE" help:"JSON file of parameters to draw with; --set goes before it."`
}

// values returns what the flags set, those of --set last, so that they count.
func (f *parameterFlags) values() ([]estimate.Value, error) {
	var out []estimate.Value
	if f.Param != "" {
		text, err := readAtMost(f.Param, mostParam)
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
		out = slices.DeleteFunc(out, func(old estimate.Value) bool { return old.Name == name })
		out = append(out, v)
	}
	return out, nil
}

// mostParam is how many bytes a file of parameters has at most: as many as matrices of a thousand rows need.
const mostParam = 1 << 26

// readAtMost reads a file that is not larger than it may be.
func readAtMost(name string, most int) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, int64(most)+1))
	if err == nil && len(text) > most {
		err = fmt.Errorf("more than %d bytes", most)
	}
	return text, err
}

// parameterFile reads an object of values, or the parameters of a report of a fit.
func parameterFile(text []byte) ([]estimate.Value, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return nil, fmt.Errorf("not a JSON object of parameters: %w", err)
	}
	if inner, ok := members["parameters"]; ok && isObject(inner) {
		members = nil
		if err := json.Unmarshal(inner, &members); err != nil {
			return nil, fmt.Errorf("not a JSON object of parameters: %w", err)
		}
	}
	var out []estimate.Value
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

// parseValue reads a number, an array of numbers, an array of such rows or, of mixtures, an array of such arrays.
func parseValue(name string, text []byte) (estimate.Value, error) {
	v := estimate.Value{Name: name}
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
	for array := rows; ok && len(array) > 0; array, ok = array[0].([]any) {
		v.Shape = append(v.Shape, len(array))
	}
	return v, appendEntries(&v, rows, v.Shape)
}

// mostNested is how deep arrays are nested: matrices of the components of a mixture.
const mostNested = 3

// appendEntries takes the entries of an array whose shape is that of its first elements.
func appendEntries(v *estimate.Value, array []any, shape []int) error {
	if len(array) != shape[0] || len(shape) > mostNested {
		return errors.New("the rows of a matrix are arrays of one length")
	}
	for _, element := range array {
		inner, nested := element.([]any)
		x, number := element.(float64)
		var err error
		switch {
		case nested != (len(shape) > 1):
			err = errors.New("the rows of a matrix are arrays of one length")
		case nested:
			err = appendEntries(v, inner, shape[1:])
		case !number:
			err = fmt.Errorf("the entry %v is not a number", element)
		default:
			v.Entries = append(v.Entries, x)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
