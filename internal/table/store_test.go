package table

import (
	"bufio"
	"io"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// What is kept of rows takes as much memory as they do, but for one chunk: nothing is doubled on the way.
func TestChunksTakeWhatTheyKeep(t *testing.T) {
	var c chunks[float64]
	const n = 3*chunkLen + 17
	for i := range n {
		c.add(float64(i))
		if room := len(c.full)*chunkLen + cap(c.last); room > c.len()+chunkLen {
			t.Fatalf("room for %d entries after %d", room, c.len())
		}
	}
	if out := c.joined(); len(out) != n || cap(out) != n || out[2*chunkLen+5] != 2*chunkLen+5 || c.len() != 0 {
		t.Errorf("%d entries, room for %d; %d are left", len(out), cap(out), c.len())
	}
}

// Numbers that follow each other take one entry a run.
func TestRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOf(rapid.Int32Range(1, 6)).Draw(t, "numbers")
		var r runs
		breaks := 0
		for i, x := range want {
			if r.add(x); i == 0 || want[i-1]+1 != x {
				breaks++
			}
		}
		if n := len(r.from); n != breaks {
			t.Errorf("%d runs, want %d", n, breaks)
		}
		if got := r.all(); !slices.Equal(got, want) {
			t.Errorf("%v became %v", want, got)
		}
		for i, x := range want {
			if got := r.at(i); got != x {
				t.Errorf("entry %d of %v is %d", i, want, got)
			}
		}
	})
}

// repeated is a text of the same line for ever, which counts what is read of it.
type repeated struct {
	line string
	read int
}

func (e *repeated) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = e.line[(e.read+i)%len(e.line)]
	}
	e.read += len(p)
	return len(p), nil
}

var _ io.Reader = (*repeated)(nil)

// A text without an end is refused once it has more numbers than are read, and the error says which rows to choose.
func TestEndlessText(t *testing.T) {
	for line, hint := range map[string]string{
		"1\n":       "choose rows: --rows 1:5000 reads",
		"1,2,3,4\n": "choose rows: --rows 1:1000 reads",
	} {
		in := &repeated{line: line}
		rows := &textRows{lines: lines{in: bufio.NewReaderSize(in, buffered)}}
		o := Options{Name: "data", Several: true}
		s, err := rows.look(o)
		if err != nil {
			t.Fatal(err)
		}
		l, err := detect(s, o)
		if err != nil {
			t.Fatal(err)
		}
		r := newReader(l, Options{Name: "data"})
		r.most = 5000
		err = r.file("data", rows, l, false)
		if err == nil || !strings.Contains(err.Error(), "more than 5000 numbers") || !strings.Contains(err.Error(), hint) {
			t.Errorf("%q: %v", line, err)
		}
		if in.read > 5000*2+2*sampleSize {
			t.Errorf("%q: %d bytes were read", line, in.read)
		}
	}
}
