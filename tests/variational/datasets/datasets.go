// Package datasets reads the data of the programs beside it.
package datasets

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"strconv"

	"github.com/sngdgen/sngdgen/runtime"
)

// Read reads a file of numbers with a header.
func Read(path string) (runtime.Data, error) {
	f, err := os.Open(path)
	if err != nil {
		return runtime.Data{}, err
	}
	defer f.Close()
	text, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return runtime.Data{}, fmt.Errorf("%s: %w", path, err)
	}
	d := runtime.Data{Columns: len(text[0])}
	for i, line := range text[1:] {
		for j, word := range line {
			x, err := strconv.ParseFloat(word, 64)
			if err != nil {
				return d, fmt.Errorf("%s: row %d, column %d: %w", path, i+1, j+1, err)
			}
			d.Values = append(d.Values, x)
		}
	}
	return d, nil
}

// EightSchools are the effects of coaching and their standard errors (Rubin 1981), as the one row that the library's problem takes.
func EightSchools() runtime.Data {
	return runtime.Data{Values: []float64{28, 8, -3, 7, -1, 1, 18, 12, 15, 10, 16, 11, 9, 11, 10, 18}, Columns: 16}
}

// Covertypes are so many rows of the forest cover types, chosen at random, of the columns that vary in the file, y last.
func Covertypes(path string, rows int) (runtime.Data, error) {
	all, err := Read(path)
	if err != nil {
		return all, err
	}
	k := all.Columns
	n := len(all.Values) / k
	if n < rows {
		return all, fmt.Errorf("%s has %d rows, fewer than %d", path, n, rows)
	}
	var keep []int
	for j := 1; j < k; j++ {
		low, high := math.Inf(1), math.Inf(-1)
		for i := range n {
			low, high = min(low, all.Values[i*k+j]), max(high, all.Values[i*k+j])
		}
		if low < high {
			keep = append(keep, j)
		}
	}
	d := runtime.Data{Columns: len(keep) + 1}
	for _, i := range runtime.Stream(1, "covertype").Perm(n)[:rows] {
		for _, j := range append(keep, 0) {
			d.Values = append(d.Values, all.Values[i*k+j])
		}
	}
	return d, nil
}
