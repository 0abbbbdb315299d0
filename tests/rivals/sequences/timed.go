//go:build overlay

package main

import (
	"fmt"

	"github.com/sngdgen/sngdgen/runtime"
)

// timedAll takes the times of models, by name, for all lengths.
func timedAll(models map[string]func() runtime.Model) (map[string][]times, error) {
	out := map[string][]times{}
	for name, make := range models {
		for _, n := range lengths {
			m := make()
			if err := m.SetData(runtime.Data{Values: rows(name, n), Columns: 1}); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			t, err := timed(m)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			out[name] = append(out[name], t)
		}
	}
	return out, nil
}
