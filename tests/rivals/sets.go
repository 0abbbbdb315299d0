package rivals

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

//go:embed sets.csv
var setsCSV []byte

// Set is a data set of a package of R or Python, with those of its columns that are used.
type Set struct {
	Name    string
	Package string // as R:MASS or python:sklearn
	Columns []string
}

// Sets lists the data sets, in the order of sets.csv.
func Sets() ([]Set, error) {
	rows, err := Records(setsCSV)
	if err != nil {
		return nil, fmt.Errorf("sets.csv: %w", err)
	}
	sets := make([]Set, len(rows))
	for i, r := range rows {
		sets[i] = Set{r["name"], r["package"], strings.Fields(r["columns"])}
	}
	return sets, nil
}

// Records reads CSV with a header as maps from its names.
func Records(text []byte) ([]map[string]string, error) {
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		return nil, err
	}
	records := make([]map[string]string, 0, len(rows)-1)
	for _, row := range rows[1:] {
		r := map[string]string{}
		for j, name := range rows[0] {
			r[name] = row[j]
		}
		records = append(records, r)
	}
	return records, nil
}

// Data are the rows of some columns of a data set.
type Data struct {
	File    string
	Columns []string
	Rows    [][]float64 // n x d
	SHA256  string      // of these numbers, by which another version of a data set is noticed
}

// Read returns columns of an exported file, all of them if none are named.
func Read(file string, columns []string) (*Data, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(columns) == 0 {
		columns = rows[0]
	}
	d := &Data{File: file, Columns: columns}
	hash := sha256.New()
	for i, row := range rows[1:] {
		x := make([]float64, len(columns))
		for j, c := range columns {
			at := slices.Index(rows[0], c)
			if at < 0 {
				return nil, fmt.Errorf("%s has no column %s", filepath.Base(file), c)
			}
			if x[j], err = strconv.ParseFloat(strings.TrimSpace(row[at]), 64); err != nil {
				return nil, fmt.Errorf("%s, row %d, column %s: %w", filepath.Base(file), i+1, c, err)
			}
			fmt.Fprintf(hash, "%.12g,", x[j])
		}
		d.Rows = append(d.Rows, x)
	}
	d.SHA256 = hex.EncodeToString(hash.Sum(nil))[:16]
	return d, nil
}
