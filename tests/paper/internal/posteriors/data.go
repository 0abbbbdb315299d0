package posteriors

import (
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/special"
)

// Covertype reads the forest cover types of Blackard and Dean (1999), scaled by Chang and Lin (2011): a header, and rows of
// y, 0 or 1, and 54 columns. It keeps so many rows, chosen at random, and the columns that are not constant in the file.
func Covertype(path string, rows int, rng *rand.Rand) (runtime.Data, error) {
	f, err := os.Open(path)
	if err != nil {
		return runtime.Data{}, err
	}
	defer f.Close()
	text, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return runtime.Data{}, err
	}
	var all [][]float64
	for i, line := range text[1:] {
		row := make([]float64, len(line))
		for j, word := range line {
			if row[j], err = strconv.ParseFloat(word, 64); err != nil {
				return runtime.Data{}, fmt.Errorf("%s: row %d, column %d: %w", path, i+1, j+1, err)
			}
		}
		all = append(all, row)
	}
	if len(all) < rows {
		return runtime.Data{}, fmt.Errorf("%s has %d rows, fewer than %d", path, len(all), rows)
	}
	var keep []int
	for j := 1; j < len(all[0]); j++ {
		if varies(all, j) {
			keep = append(keep, j)
		}
	}
	d := runtime.Data{Columns: len(keep) + 1}
	for _, i := range rng.Perm(len(all))[:rows] {
		for _, j := range keep {
			d.Values = append(d.Values, all[i][j])
		}
		d.Values = append(d.Values, all[i][0])
	}
	return d, nil
}

func varies(rows [][]float64, j int) bool {
	for _, r := range rows {
		if r[j] != rows[0][j] {
			return true
		}
	}
	return false
}

// StandIn draws the paper's stand-in: y = 1 with probability sigmoid((2x - 1)'z) for uniform x and normal z. That x is
// uniform is our reading.
func StandIn(n, d int, rng *rand.Rand) runtime.Data {
	z := make([]float64, d)
	for j := range z {
		z[j] = rng.NormFloat64()
	}
	data := runtime.Data{Columns: d + 1}
	for range n {
		t := 0.0
		for j := range d {
			x := 2*rng.Float64() - 1
			data.Values = append(data.Values, x)
			t += x * z[j]
		}
		data.Values = append(data.Values, less(rng.Float64(), special.Sigmoid(t)))
	}
	return data
}

func less(a, b float64) float64 {
	if a < b {
		return 1
	}
	return 0
}
