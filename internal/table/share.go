package table

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"slices"

	"github.com/sngdgen/sngdgen/runtime"
)

// Processes are those that read one file together, each some of its rows.
type Processes struct {
	runtime.Reducer
	// Shares are the rows of each, of so many: process i has those from entry i up to entry i+1. Nil where all read all.
	Shares func(rows int) []int
}

// Where the rows of a text stand is known only from all that is before them: a line end may be in quotes. But to find the ends of lines and quotation
// marks takes little time against parsing. So each process goes through the lines of as many bytes, both for the case that they begin between two rows
// and for the case that they begin in quotes; when all know what each has found, the one in whose bytes a share ends looks where; and then each parses its
// share. That this is all right is not taken for granted: if the first process has found in its share as many rows as it should have, and no fault, it ends
// where a row ends, so that what is true of the first is true of the second, and so on. Otherwise all read all, and say what one says.

// walk is where somebody is who goes through the lines of a text. What is there twice is for a text that begins between two rows, and in quotes.
type walk struct {
	at     int64 // bytes before the next line
	lines  int   // before it
	rows   [2]int
	inside [2]bool // whether the next line begins in quotes
}

// over goes on behind a line.
func (w *walk) over(line []byte, quoted bool) {
	w.at += int64(len(line))
	w.lines++
	odd := quoted && bytes.Count(line, []byte{'"'})%2 == 1
	isRow := line[0] != '#' && !isBlank(withoutEnd(line))
	for i := range w.rows {
		if !w.inside[i] {
			if !isRow {
				continue
			}
			w.rows[i]++
		}
		w.inside[i] = w.inside[i] != odd
	}
}

// between goes through lines from a place on, until there is nothing more, or enough. The error is one of reading.
func (w *walk) between(in io.Reader, enough func(*walk) bool) error {
	text := lines{in: bufio.NewReaderSize(in, buffered)}
	for !enough(w) {
		line, quoted, err := text.next()
		if len(line) > 0 && (err == nil || err == io.EOF) {
			w.over(line, quoted)
			text.since = 0
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// marked is how many bytes are gone through again at most.
const marked = 1 << 20

// walked goes through the lines that begin in some bytes of a text, and keeps where it was now and then.
func walked(f io.ReaderAt, begin, from, to, size int64) (marks []walk, err error) {
	w := walk{at: from, inside: [2]bool{false, true}}
	if from > begin { // it may be within a line, which is that of another process
		line := walk{at: from - 1}
		err := line.between(io.NewSectionReader(f, line.at, size-line.at), func(l *walk) bool { return l.lines > 0 })
		if w.at = line.at; err != nil && err != io.EOF {
			return nil, err
		}
	}
	marks = []walk{w}
	err = w.between(io.NewSectionReader(f, w.at, size-w.at), func(w *walk) bool {
		if w.at-marks[len(marks)-1].at >= marked {
			marks = append(marks, *w)
		}
		return w.at >= to
	})
	if err == io.EOF {
		err = nil
	}
	return append(marks, w), err
}

// portion is what a process parses of a text.
type portion struct {
	from, to    int64 // bytes
	lines       int   // before it
	first, last int   // its rows are those behind the first ones up to the last
}

// portion finds that of this process; nil where all read all.
func (p *Processes) portion(f io.ReaderAt, begin, size int64, header int) (*portion, error) {
	n, me := p.Size(), p.Rank()
	cut := func(i int) int64 { return begin + (size-begin)/int64(n)*int64(i) }
	to := cut(me + 1)
	if me == n-1 {
		to = size
	}
	marks, failed := walked(f, begin, cut(me), to, size)

	const facts = 6 // of each process
	found := make([]float64, facts*n)
	if failed == nil {
		w := marks[len(marks)-1]
		copy(found[facts*me:], []float64{float64(w.lines), float64(w.rows[0]), float64(w.rows[1]), number(w.inside[0]), number(w.inside[1]), float64(size)})
	}
	if err := p.Sum(found); err != nil {
		return nil, err
	}
	lines, rows, inside := make([]int, n+1), make([]int, n+1), make([]int, n+1) // before each process
	for i := range n {
		fact := found[facts*i:]
		if fact[5] != float64(size) { // it could not be read, or is another file
			return nil, nil
		}
		lines[i+1], rows[i+1], inside[i+1] = lines[i]+int(fact[0]), rows[i]+int(fact[1+inside[i]]), int(fact[3+inside[i]])
	}
	shares := p.Shares(max(rows[n]-header, 0))
	if shares == nil {
		return nil, nil
	}

	ends := make([]float64, 2*(n+1)) // of the share before each process: bytes, and lines
	for k := 1; k < n; k++ {
		target := shares[k] + header - rows[me] // rows of this process
		if target <= 0 || shares[k]+header > rows[me+1] {
			continue
		}
		i := inside[me]
		j, _ := slices.BinarySearchFunc(marks, target, func(w walk, rows int) int { return w.rows[i] - rows })
		w := marks[max(j-1, 0)]
		err := w.between(io.NewSectionReader(f, w.at, size-w.at), func(w *walk) bool { return w.rows[i] >= target && !w.inside[i] })
		if err == nil || err == io.EOF {
			ends[2*k], ends[2*k+1] = float64(w.at), float64(lines[me]+w.lines)
		}
	}
	if err := p.Sum(ends); err != nil {
		return nil, err
	}
	ends[2*n] = float64(size)
	return &portion{int64(ends[2*me]), int64(ends[2*me+2]), int(ends[2*me+1]), shares[me], shares[me+1]}, nil
}

func number(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// readShare reads the rows that this process has of a text; nil where all are to read all. Processes go the same way through it, as they have the same file.
func (o *Options) readShare(name string) (*Table, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, nil
	}
	size := info.Size()
	head := make([]byte, 3)
	k, _ := f.ReadAt(head, 0)
	for _, coded := range []string{"\x1f\x8b", "\xff\xfe", "\xfe\xff"} { // compressed, or in UTF-16
		if bytes.HasPrefix(head[:k], []byte(coded)) {
			return nil, nil
		}
	}
	begin := int64(0)
	if string(head[:k]) == byteOrderMark {
		begin = int64(k)
	}
	one := parts{Options: *o}
	rows, err := decode(io.NewSectionReader(f, 0, size), name, *o)
	whole, isText := rows.(*textRows)
	if err != nil || !isText {
		return nil, nil
	}
	l, err := one.columns(name, whole)
	if err != nil || slices.Contains(l.labels, true) {
		return nil, nil
	}
	share, err := o.Processes.portion(f, begin, size, int(number(l.header)))
	if share == nil || err != nil {
		return nil, err
	}

	one.total, one.current = share.to-share.from, share.first
	one.many = (share.last-share.first)*len(l.columns) > mostCells
	var in io.Reader = io.NewSectionReader(f, share.from, share.to-share.from)
	if o.Progress != nil {
		in = io.TeeReader(in, &one)
	}
	text := &textRows{separator: whole.separator, decimalComma: whole.decimalComma,
		lines: lines{in: skipMark(bufio.NewReaderSize(in, buffered)), at: share.lines}}
	err = one.file(name, text, l, share.first > 0)
	failed := []float64{number(err != nil || len(one.faults) > 0 || one.current != share.last)}
	if err := o.Processes.Sum(failed); err != nil || failed[0] > 0 {
		return nil, err
	}
	one.table.Shared = true
	return one.finish()
}
