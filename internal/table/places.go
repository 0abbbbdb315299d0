package table

import (
	"cmp"
	"slices"
)

// places are where the rows of a table stand. They take no memory to speak of where one row follows the other.
type places struct {
	lines   runs       // the line of its file on which each row starts, from 1
	numbers runs       // the number of each row among those of all files, from 1
	files   []fromFile // in the order of the rows
	// cells are the positions of the values within their lines, in bytes from 1, row by row; 0 where a value has none, and nil of
	// tables of more than mostCells.
	cells []int32
}

// fromFile is a file, of which the rows behind a number are.
type fromFile struct {
	name  string
	after int32
}

// mostCells is of how many values positions are kept: of more, messages name the line and the column.
const mostCells = 1 << 20

// file returns the name of the file in which a row stands.
func (t *Table) file(row int) string {
	i, _ := slices.BinarySearchFunc(t.files, t.numbers.at(row), func(f fromFile, number int32) int { return cmp.Compare(f.after, number) })
	if i == 0 {
		return t.Name
	}
	return t.files[i-1].name
}

// cell returns the position of a value within its line, or 0.
func (p *places) cell(i int) int32 {
	if p.cells == nil {
		return 0
	}
	return p.cells[i]
}

// chosen returns the places of n rows, each the one of a row of these, which have so many values.
func (p *places) chosen(n, width int, of func(row int) int) places {
	out := places{files: p.files}
	for i := range n {
		row := of(i)
		out.lines.add(p.lines.at(row))
		out.numbers.add(p.numbers.at(row))
		if p.cells != nil {
			out.cells = append(out.cells, p.cells[row*width:(row+1)*width]...)
		}
	}
	return out
}

// runs are numbers of which most are the one before plus 1, as those of rows and lines are.
type runs struct {
	count int
	from  []run
}

// run is a run of numbers from an entry on.
type run struct {
	at    int
	first int32
}

func (r *runs) add(x int32) { r.addAll(x, 1) }

// addAll adds n numbers, each the one before plus 1, from x on.
func (r *runs) addAll(x int32, n int) {
	if last := len(r.from) - 1; last < 0 || x != r.from[last].first+int32(r.count-r.from[last].at) {
		r.from = append(r.from, run{r.count, x})
	}
	r.count += n
}

// at returns an entry.
func (r *runs) at(i int) int32 {
	k, found := slices.BinarySearchFunc(r.from, i, func(s run, i int) int { return cmp.Compare(s.at, i) })
	if !found {
		k--
	}
	return r.from[k].first + int32(i-r.from[k].at)
}

// all returns the entries.
func (r *runs) all() []int32 {
	out := make([]int32, 0, r.count)
	for k, s := range r.from {
		end := r.count
		if k+1 < len(r.from) {
			end = r.from[k+1].at
		}
		for i := range end - s.at {
			out = append(out, s.first+int32(i))
		}
	}
	return out
}
