package table

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/sngdgen/sngdgen/runtime/ranges"
)

// process is one of several, in one program.
type process struct {
	rank, size int
	*meeting
}

// meeting is where they sum up.
type meeting struct {
	sync.Mutex
	all      *sync.Cond
	sum, was []float64
	came     int
	round    int
}

func (p process) Rank() int { return p.rank }
func (p process) Size() int { return p.size }

func (p process) Sum(x []float64) error {
	p.Lock()
	defer p.Unlock()
	if p.came == 0 {
		p.sum = make([]float64, len(x))
	}
	if len(p.sum) != len(x) {
		return errors.New("processes do not do the same")
	}
	for i, v := range x {
		p.sum[i] += v
	}
	round := p.round
	if p.came++; p.came == p.size {
		p.was, p.came = p.sum, 0
		p.round++
		p.all.Broadcast()
	}
	for p.round == round {
		p.all.Wait()
	}
	copy(x, p.was)
	return nil
}

// readByAll reads a file by several processes.
func readByAll(name string, o Options, size int) (tables []*Table, errs []error) {
	m := &meeting{}
	m.all = sync.NewCond(m)
	tables, errs = make([]*Table, size), make([]error, size)
	var all sync.WaitGroup
	for rank := range size {
		all.Go(func() {
			o := o
			o.Processes = &Processes{process{rank, size, m}, func(rows int) []int {
				if rows < size {
					return nil
				}
				return ranges.Even(rows, size)
			}}
			tables[rank], errs[rank] = ReadFile(name, nil, o)
		})
	}
	all.Wait()
	return tables, errs
}

// compareShares reads a text by one process and by several, and reports whether these have read a share each.
func compareShares(t interface{ Fatalf(string, ...any) }, name, text string, o Options, size int) bool {
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatalf("%v", err)
	}
	want, wantErr := ReadFile(name, nil, o)
	tables, errs := readByAll(name, o, size)
	if wantErr != nil {
		for _, err := range errs {
			if err == nil || err.Error() != wantErr.Error() {
				t.Fatalf("of %d processes one says\n%v\none alone says\n%v\nof %q", size, err, wantErr, text)
			}
		}
		return false
	}
	row := 0
	for rank, got := range tables {
		if errs[rank] != nil {
			t.Fatalf("%v, of %q", errs[rank], text)
		}
		from, to := 0, want.Rows()
		if got.Shared {
			from, to = ranges.Even(want.Rows(), size).Of(rank)
		}
		if from != row && got.Shared || got.Shared != tables[0].Shared || got.Rows() != to-from || !slices.Equal(got.Columns, want.Columns) {
			t.Fatalf("process %d of %d has %d rows, from row %d, of %d: %q", rank, size, got.Rows(), from, want.Rows(), text)
		}
		row = to
		k := len(want.Columns)
		if !slices.Equal(got.Values, want.Values[from*k:to*k]) || want.Weights != nil && !slices.Equal(got.Weights, want.Weights[from:to]) {
			t.Fatalf("process %d of %d has %v, not %v, of %q", rank, size, got.Values, want.Values[from*k:to*k], text)
		}
		for i := range got.Rows() {
			if got.numbers.at(i) != want.numbers.at(from+i) || got.lines.at(i) != want.lines.at(from+i) || got.file(i) != want.file(from+i) ||
				!slices.Equal(got.cells[i*k:(i+1)*k], want.cells[(from+i)*k:(from+i+1)*k]) {
				t.Fatalf("row %d of process %d of %d is number %d on line %d, not %d on line %d, of %q", i, rank, size, got.numbers.at(i), got.lines.at(i),
					want.numbers.at(from+i), want.lines.at(from+i), text)
			}
		}
	}
	return tables[0].Shared
}

// Shares of a text, one after the other, are what one process reads of all.
func TestShares(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.csv")
	shared := 0
	rapid.Check(t, func(t *rapid.T) {
		text := drawQuotedFile(t)
		if compareShares(t, name, text, Options{Several: true}, rapid.IntRange(1, 7).Draw(t, "processes")) {
			shared++
		}
	})
	if shared == 0 {
		t.Error("none was shared")
	}
}

// drawQuotedFile draws a text of two columns, with or without names, the first of which may be any text in quotes: lines of numbers and comments too.
func drawQuotedFile(t *rapid.T) string {
	end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "end")
	quoted := rapid.Bool().Draw(t, "quoted")
	var out strings.Builder
	if rapid.Bool().Draw(t, "mark") {
		out.WriteString(byteOrderMark)
	}
	if quoted || rapid.Bool().Draw(t, "header") {
		out.WriteString(`a,"b"` + end)
	}
	rows := rapid.IntRange(1, 40).Draw(t, "rows")
	for i := range rows {
		switch rapid.IntRange(0, 9).Draw(t, "between") {
		case 0:
			out.WriteString(`# it is 5" long` + end)
		case 1:
			out.WriteString(end)
		case 2:
			out.WriteString("  " + end)
		case 3:
			if rapid.IntRange(0, 9).Draw(t, "faults") == 0 {
				out.WriteString(rapid.SampledFrom([]string{`5" long,1`, `"a"b,1`, "1", "x,y", `"`, `""`, "1,2,3"}).Draw(t, "fault") + end)
			}
		}
		cell := "1"
		if quoted {
			cell = `"` + strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"x", `""`, end, "1,2", "#", end + "# ", end + end, " "}), 0, 5).Draw(t, "cell"), "") + `"`
		}
		fmt.Fprintf(&out, "%s,%d", cell, i)
		if i < rows-1 || rapid.Bool().Draw(t, "ended") {
			out.WriteString(end)
		}
	}
	return out.String()
}

// A long text has shares that end where nobody has kept its place.
func TestLongShares(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var text strings.Builder
	text.WriteString("x,w\n")
	for text.Len() < 4*marked {
		fmt.Fprintf(&text, "%v,%d\n", rng.NormFloat64(), rng.IntN(3))
		if rng.IntN(1000) == 0 {
			text.WriteString("# \"\n\n\"1\",2\n")
		}
	}
	for _, size := range []int{2, 3, 5} {
		for _, o := range []Options{{Several: true}, {Weights: "w", Workers: 2}} {
			if !compareShares(t, filepath.Join(t.TempDir(), "x.csv"), text.String(), o, size) {
				t.Errorf("%d processes read all, each", size)
			}
		}
	}
}

// What cannot be cut is read by all.
func TestNotShared(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.csv")
	for _, text := range []string{"x\n1\n", "x\n1\n\n2\n3\n4\n", "\xff\xfex\x00\n\x001\x00\n\x002\x00\n\x003\x00\n\x00", "x\n1\n2\nmany\n4\n", "", "x\n", "\"", "x\n\"1\n2\n3\n"} {
		if compareShares(t, name, text, Options{}, 3) {
			t.Errorf("%q is shared", text)
		}
	}
}

func FuzzShares(f *testing.F) {
	for _, text := range []string{"x\n1\n2\n3\n", "\"a\nb\",x\n\"\",1\r\n\"\n#\",2\n", "# \"\nx\n1\n\n2\n\"3\"\n\" \"\n4", "\ufeff1\t\"\"\n2\t\n\t\n3\t4\n", "1;\"2\"\"\n\"\n3;4"} {
		f.Add(text, uint8(3))
	}
	f.Fuzz(func(t *testing.T, text string, size uint8) {
		compareShares(t, filepath.Join(t.TempDir(), "x.csv"), text, Options{Several: true}, 1+int(size)%7)
	})
}
