package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/sngdgen/sngdgen/internal/disk"
)

// memoryFlags are about data that are larger than the memory.
type memoryFlags struct {
	Memory string `placeholder:"SIZE" help:"Memory for a fit of a likelihood, as 500MB or 4GiB: 64MiB of it are for the program, and numbers of the data that exceed the rest are put into files without a name, in the folder of the cache or of the data, which are gone in the end. What is printed does not depend on it."`
	Cache  string `output:"file" placeholder:"FILE" help:"Keep the rows of the data of a likelihood in a file, from which they are read, if the same columns and rows of the same files are asked for again."`
}

// open makes the space for the data, if there is one.
func (m *memoryFlags) open(s *session, data string) error {
	if m.Memory == "" && m.Cache == "" {
		return nil
	}
	limit := int64(math.MaxInt64)
	if m.Memory != "" {
		var err error
		if limit, err = parseSize(m.Memory); err != nil {
			return usageError{fmt.Errorf("--memory: %w", err)}
		}
		if limit < disk.Program {
			fmt.Fprintf(s.err, "note: --memory: the program itself takes some %d MB, so that it will exceed %s; all numbers of the data are in files\n", disk.Program>>20, m.Memory)
		}
		if !disk.Supported {
			return usageError{errors.New("--memory: data that exceed it need files that are mapped to memory, which sngdgen knows on Linux and macOS only")}
		}
	}
	if m.Cache != "" && s.others != nil {
		return usageError{errors.New("--cache keeps the rows of one process, and not those of several")}
	}
	dir := filepath.Dir(data)
	switch {
	case m.Cache != "":
		dir = filepath.Dir(m.Cache)
	case data == "" || data == "-":
		dir = os.TempDir()
	}
	if strings.ContainsAny(dir, "*?[") { // of a pattern of folders
		if _, err := os.Stat(dir); err != nil {
			dir = os.TempDir()
		}
	}
	s.space, s.cache = disk.ForProcess(dir, limit), m.Cache
	return nil
}

// sizes are what numbers of bytes may end in.
var sizes = []struct {
	unit  string
	bytes float64
}{{"kib", 1 << 10}, {"mib", 1 << 20}, {"gib", 1 << 30}, {"tib", 1 << 40}, {"kb", 1e3}, {"mb", 1e6}, {"gb", 1e9}, {"tb", 1e12}, {"b", 1}}

// leastMemory is the smallest size that is taken: what is smaller lacks its unit, or was never meant.
const leastMemory = 16 << 20

// parseSize reads a number of bytes.
func parseSize(text string) (int64, error) {
	number := strings.ToLower(strings.TrimSpace(text))
	scale := 0.0
	for _, s := range sizes {
		if rest, ok := strings.CutSuffix(number, s.unit); ok {
			number, scale = strings.TrimSpace(rest), s.bytes
			break
		}
	}
	x, err := strconv.ParseFloat(number, 64)
	bytes := x * max(scale, 1)
	switch {
	case err != nil && !errors.Is(err, strconv.ErrRange) || math.IsNaN(x):
		return 0, fmt.Errorf("%q is no size: write a number and its unit, as 500MB or 4GiB", text)
	case bytes > math.MaxInt64/2:
		return 0, fmt.Errorf("%s is more than any machine has", text)
	case scale == 0 && x > 0:
		return 0, fmt.Errorf("%q has no unit: write %sMB, or %sGiB", text, number, number)
	case bytes < leastMemory:
		return 0, fmt.Errorf("%s is too little: the program itself takes some %d MB; with %dMiB all numbers of the data are in files", text, disk.Program>>20, disk.Program>>20)
	default:
		return int64(bytes), nil
	}
}
