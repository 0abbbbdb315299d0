package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/sngdgen/sngdgen/runtime/estimate"
)

const (
	shownEntries = 8 // of a row or a column; longer ones are abbreviated
	shownDigits  = 5 // of an entry
)

// printArrays prints the parameters that are vectors and matrices.
func printArrays(w io.Writer, vs estimate.Values) {
	for i, v := range vs {
		if v.Shape == nil {
			continue
		}
		if i > 0 {
			fmt.Fprintln(w)
		}
		printArray(w, v)
	}
}

// printArray prints a vector as a row, a matrix as rows, under its name and shape. What is long loses its middle.
func printArray(w io.Writer, v estimate.Value) {
	rows, columns := 1, v.Shape[0]
	if len(v.Shape) == 2 {
		rows, columns = v.Shape[0], v.Shape[1]
	}
	fmt.Fprintf(w, "%s (%s)%s\n", v.Name, times(v.Shape), abbreviated(rows, columns))
	shown := make([][]string, 0, shownEntries)
	for _, i := range kept(rows) {
		var row []string
		for _, j := range kept(columns) {
			switch {
			case i < 0 || j < 0:
				row = append(row, "...")
			default:
				row = append(row, strconv.FormatFloat(v.Entries[i*columns+j], 'g', shownDigits, 64))
			}
		}
		shown = append(shown, row)
	}
	printAligned(w, shown)
}

// times writes a shape: 10, or 10 x 10.
func times(shape []int) string {
	var words []string
	for _, n := range shape {
		words = append(words, strconv.Itoa(n))
	}
	return strings.Join(words, " x ")
}

func abbreviated(rows, columns int) string {
	if max(rows, columns) > shownEntries {
		return ", abbreviated: --json prints all"
	}
	return ""
}

// kept returns which of n entries are shown: all, or the first ones and the last, with -1 for those between.
func kept(n int) []int {
	var out []int
	for i := range min(n, shownEntries) {
		out = append(out, i)
	}
	if n > shownEntries {
		out[shownEntries-2], out[shownEntries-1] = -1, n-1
	}
	return out
}

// printAligned prints columns flush right. (They are no cells of the tables around them, which are flush left.)
func printAligned(w io.Writer, rows [][]string) {
	width := make([]int, len(rows[0]))
	for _, row := range rows {
		for j, cell := range row {
			width[j] = max(width[j], len(cell))
		}
	}
	for _, row := range rows {
		for j, cell := range row {
			fmt.Fprintf(w, "   %*s", width[j], cell)
		}
		fmt.Fprintln(w)
	}
}
