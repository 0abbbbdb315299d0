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
		v, err := estimate.ParseValue(name, []byte(text))
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
		v, err := estimate.ParseValue(name, members[name])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out = append(out, v)
	}
	return out, nil
}

func isObject(text []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) }
