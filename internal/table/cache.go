package table

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/sngdgen/sngdgen/internal/disk"
)

// cacheVersion changes when the same files would be read as another table.
const cacheVersion = 1

// kept describes the rows of a file that keeps a table: what they were read from, and what a Table has besides its numbers.
type kept struct {
	Of                       source
	Header                   bool
	Columns, Ignored         []string
	Unnamed                  string
	Seen, Missing            int
	Terms                    [][]int
	Levels                   [][]string
	Count                    int
	Lines, Numbers, FromFile []keptRun
	Names                    []string // of the files of FromFile
}

// keptRun is a run, or a file and the number of the row before its first.
type keptRun struct{ At, First int }

// source is what was read, and how.
type source struct {
	Version int
	Files   []sourceFile
	Options string
}

type sourceFile struct {
	Name string // with its folder
	Size int64
	Time time.Time
}

// sourceOf says what files are as they are now, and what of them is asked for.
func (o *Options) sourceOf(files []string) (source, error) {
	s := source{Version: cacheVersion, Options: fmt.Sprintf("%q %v %q %q %q %v %q %v %v %v %v", o.Columns, o.Terms, o.Apart, o.Categories, o.Levels, o.Several,
		o.Weights, o.Rows, o.Where, o.SkipMissing, o.DecimalComma)}
	for _, name := range files {
		path, err := filepath.Abs(name)
		if err != nil {
			return s, err
		}
		info, err := os.Stat(path)
		if err != nil {
			return s, openError(name, err)
		}
		s.Files = append(s.Files, sourceFile{path, info.Size(), info.ModTime().UTC()})
	}
	return s, nil
}

func (s source) equal(other source) bool {
	a, _ := json.Marshal(s)
	b, _ := json.Marshal(other)
	return string(a) == string(b)
}

// damagedHint is what can be done about a cache.
const damagedHint = "remove it, and it is made again"

// cached returns the table of the cache, if it is that of the files as they are, and else reads them and makes it.
func (o *Options) cached(files []string) (*Table, error) {
	if o.Space == nil {
		return nil, errors.New("table: a cache without a space")
	}
	of, err := o.sourceOf(files)
	if err != nil {
		return nil, err
	}
	rows, err := o.Space.Load(o.Cache)
	damaged := (*disk.DamagedError)(nil)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case errors.As(err, &damaged):
		return nil, &Error{Name: o.Cache, Text: "a damaged cache: " + damaged.What, Hint: damagedHint}
	case errors.Is(err, disk.ErrForeign):
		return nil, &Error{Name: o.Cache, Text: "there is a file already, and no cache of sngdgen", Hint: "give the cache another name"}
	case err != nil:
		return nil, &Error{Name: o.Cache, Text: fmt.Sprintf("cannot read the cache: %v", cause(err))}
	default:
		var k kept
		if json.Unmarshal(rows.Description, &k) != nil {
			return nil, &Error{Name: o.Cache, Text: "a damaged cache: what it says of its rows cannot be read", Hint: damagedHint}
		}
		if k.Of.equal(of) {
			return k.table(rows, o)
		}
	}
	t, err := readFiles(files, *o)
	if err != nil {
		return nil, err
	}
	return t, o.keep(t, of)
}

// cause is an error without the name of the file, which messages begin with.
func cause(err error) error {
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		return p.Err
	}
	return err
}

// keep writes the cache of a table that was read.
func (o *Options) keep(t *Table, of source) error {
	k := kept{Of: of, Header: t.Header, Columns: t.Columns, Ignored: t.Ignored, Unnamed: t.Unnamed, Seen: t.Seen, Missing: t.Missing, Terms: t.Terms,
		Levels: t.Levels, Count: t.Rows(), Lines: t.lines.kept(), Numbers: t.numbers.kept()}
	for _, f := range t.files {
		k.Names = append(k.Names, f.name)
		k.FromFile = append(k.FromFile, keptRun{First: int(f.after)})
	}
	text, err := json.Marshal(k)
	if err != nil {
		return err
	}
	if err := disk.Save(o.Cache, disk.Rows{Values: t.Values, Columns: len(t.Columns), Weights: t.Weights, Description: text}, o.noting); err != nil {
		return &Error{Name: o.Cache, Text: fmt.Sprintf("cannot write the cache: %v", cause(err))}
	}
	return nil
}

// noting tells of a file that is not to be left behind.
func (o *Options) noting(name string) (done func()) {
	if o.Temporary == nil {
		return func() {}
	}
	return o.Temporary(name, func() { os.Remove(name) })
}

// table is the table of a cache.
func (k *kept) table(rows disk.Rows, o *Options) (*Table, error) {
	n := len(rows.Values) / rows.Columns
	if rows.Columns != len(k.Columns) || k.Count != n || len(k.Names) != len(k.FromFile) || n > 0 && (len(k.Lines) == 0 || len(k.Numbers) == 0) {
		return nil, &Error{Name: o.Cache, Text: "a damaged cache: it says other things of its rows than they are", Hint: damagedHint}
	}
	t := &Table{Name: o.Name, Header: k.Header, Columns: k.Columns, Ignored: k.Ignored, Unnamed: k.Unnamed, Seen: k.Seen, Missing: k.Missing, Terms: k.Terms,
		Levels: k.Levels, Values: rows.Values, Weights: rows.Weights, space: o.Space, Cached: true}
	t.lines, t.numbers = runsOf(k.Lines, n), runsOf(k.Numbers, n)
	for i, f := range k.FromFile {
		t.files = append(t.files, fromFile{k.Names[i], int32(f.First)})
	}
	return t, nil
}

func (r *runs) kept() (out []keptRun) {
	for _, s := range r.from {
		out = append(out, keptRun{s.at, int(s.first)})
	}
	return out
}

func runsOf(kept []keptRun, count int) (out runs) {
	for _, k := range kept {
		out.from = append(out.from, run{k.At, int32(k.First)})
	}
	out.count = count
	return out
}
