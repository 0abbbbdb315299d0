package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

//go:embed numpy.py
var script string

// numpy runs the script, and returns the least seconds of a call by operation and dimension, and which BLAS it was.
func numpy(python string, dims []int) (map[string]map[int]float64, string, error) {
	if python == "" {
		return nil, "", nil
	}
	list, _ := json.Marshal(dims)
	cmd := exec.Command(python, "-c", script, string(list))
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "OPENBLAS_") && !strings.HasPrefix(v, "MKL_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "OPENBLAS_NUM_THREADS=1", "OMP_NUM_THREADS=1", "MKL_NUM_THREADS=1")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, "", fmt.Errorf("NumPy: %w", err)
	}
	var answer struct {
		About string
		Times map[string]map[int]float64
	}
	if err := json.Unmarshal(out, &answer); err != nil {
		return nil, "", fmt.Errorf("NumPy: %w", err)
	}
	return answer.Times, answer.About, nil
}
