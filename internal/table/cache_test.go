//go:build unix

package table_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sngdgen/sngdgen/internal/disk"
	"github.com/sngdgen/sngdgen/internal/table"
	"github.com/sngdgen/sngdgen/runtime"
)

// some are rows in several files, with labels, weights, missing values and lines between them.
func some(t *testing.T) (dir string) {
	dir = t.TempDir()
	for part := range 3 {
		var text strings.Builder
		text.WriteString("x,label,w\n")
		for i := range 2000 {
			if i%7 == 0 {
				text.WriteString("# nothing\n")
			}
			x := fmt.Sprint(math.Sin(float64(i + part)))
			if i%11 == 0 {
				x = "NA"
			}
			fmt.Fprintf(&text, "%s,%c,%d\n", x, 'a'+i%3, i%4)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("part-%d.csv", part)), []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

var someOptions = table.Options{Terms: true, Columns: []string{"x", "label"}, Weights: "w", SkipMissing: true}

func readSome(t *testing.T, dir string, o table.Options) *table.Table {
	t.Helper()
	got, err := table.ReadFile(filepath.Join(dir, "part-*.csv"), nil, o)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// same compares tables, and where they say that values stand.
func same(t *testing.T, got, want *table.Table) {
	t.Helper()
	if !slices.Equal(got.Values, want.Values) || !slices.Equal(got.Weights, want.Weights) || !slices.Equal(got.Columns, want.Columns) ||
		!reflect.DeepEqual(got.Levels, want.Levels) || got.Missing != want.Missing || got.Seen != want.Seen || !reflect.DeepEqual(got.Terms, want.Terms) ||
		!reflect.DeepEqual(got.Recipe(), want.Recipe()) || !slices.Equal(got.Numbers(), want.Numbers()) {
		t.Errorf("another table: %d rows %v of %d, %v", got.Rows(), got.Columns, got.Seen, got.Levels)
	}
	for _, row := range []int{0, 100, 3000, got.Rows() - 1} {
		a, b := got.Locate(&runtime.DataError{Row: row, Columns: 2}), want.Locate(&runtime.DataError{Row: row, Columns: 2})
		if place(a) != place(b) {
			t.Errorf("row %d is at %v, and at %v", row, a, b)
		}
	}
}

// place is an error up to the line, as columns are not known of large files.
func place(err error) string {
	parts := strings.SplitN(err.Error(), ":", 3)
	return strings.Join(parts[:2], ":")
}

// A table that is larger than the memory is the same, also of what is made of it, and so is that of the cache.
func TestTablesOnDisk(t *testing.T) {
	dir := some(t)
	want := readSome(t, dir, someOptions)
	rows := len(want.Values) + len(want.Weights)
	o := someOptions
	o.Space = disk.New(dir, int64(rows*8/4)) // a file four times the memory
	defer o.Space.Close()
	got := readSome(t, dir, o)
	if f, _ := o.Space.Find(got.Values); f == nil {
		t.Error("the values are in memory")
	}
	same(t, got, want)
	o.Cache = filepath.Join(dir, "rows.cache")
	first := readSome(t, dir, o)
	again := readSome(t, dir, o)
	if first.Cached || !again.Cached {
		t.Errorf("from the cache: %v, %v", first.Cached, again.Cached)
	}
	same(t, first, want)
	same(t, again, want)
	for _, one := range []*table.Table{got, again} {
		a, err := one.Arrange([]table.Column{{Name: "intercept"}, {Name: "label=b", Of: []int{1}, Level: []int{1}}, {Name: "x", Of: []int{0}, Level: []int{-1}}})
		if err != nil {
			t.Fatal(err)
		}
		b, err := want.Arrange([]table.Column{{Name: "intercept"}, {Name: "label=b", Of: []int{1}, Level: []int{1}}, {Name: "x", Of: []int{0}, Level: []int{-1}}})
		if err != nil || !slices.Equal(a.Values, b.Values) {
			t.Error("arranged otherwise", err)
		}
	}
}

// A cache is of the files as they were, and of what was asked for.
func TestCacheOfOtherRows(t *testing.T) {
	dir := some(t)
	o := someOptions
	o.Space, o.Cache = disk.New(dir, math.MaxInt64), filepath.Join(dir, "rows.cache")
	defer o.Space.Close()
	readSome(t, dir, o)
	other := o
	other.Columns = []string{"x"}
	if got := readSome(t, dir, other); got.Cached || len(got.Columns) != 1 {
		t.Error("rows of other columns")
	}
	if got := readSome(t, dir, other); !got.Cached {
		t.Error("the cache was not made again")
	}
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(filepath.Join(dir, "part-1.csv"), later, later); err != nil {
		t.Fatal(err)
	}
	if got := readSome(t, dir, other); got.Cached {
		t.Error("rows of a file that has changed")
	}
	for text, want := range map[string]string{
		"x\n1\n":                      "there is a file already, and no cache of sngdgen",
		strings.Repeat("\x00", 1<<17): "a damaged cache: it was never finished",
	} {
		if err := os.WriteFile(o.Cache, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := table.ReadFile(filepath.Join(dir, "part-*.csv"), nil, o)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
