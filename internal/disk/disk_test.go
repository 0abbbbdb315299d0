//go:build unix

package disk_test

import (
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/internal/disk"
)

func noted(string) func() { return func() {} }

// A process that is to stay within some memory has what the program leaves of it for numbers, and Go a limit, unless the environment has one.
func TestForProcess(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	defer debug.SetMemoryLimit(before)
	room := func(s *disk.Space, bytes int64) bool {
		x, err := s.Numbers(int(bytes / disk.NumberSize))
		if err != nil {
			t.Fatal(err)
		}
		f, _ := s.Find(x)
		return f == nil
	}
	for _, c := range []struct {
		limit, memory, numbers int64
		here                   string
	}{{math.MaxInt64, math.MaxInt64, 1 << 30, ""}, {1 << 20, disk.Program, 0, ""}, {disk.Program, disk.Program, 0, ""},
		{disk.Program + 1<<20, disk.Program + 1<<20, 1 << 20, ""}, {disk.Program, math.MaxInt64, 0, "1GiB"}} {
		debug.SetMemoryLimit(math.MaxInt64)
		t.Setenv("GOMEMLIMIT", c.here)
		s := disk.ForProcess(t.TempDir(), c.limit)
		if got := debug.SetMemoryLimit(-1); got > c.memory || got < c.memory/2 {
			t.Errorf("%d: Go may have %d of %d", c.limit, got, c.memory)
		}
		if c.numbers < 1<<30 {
			other := s.Scratch()
			if c.numbers > 0 && !room(s, c.numbers) || room(s, 8) {
				t.Errorf("%d: there is not room for %d bytes of numbers", c.limit, c.numbers)
			}
			if rest := s.Scratch(); room(rest, 8) || s.Memory() != c.limit || rest.Memory() != c.limit {
				t.Errorf("%d: what is left has room", c.limit)
			}
			other.Close()
		}
		s.Close()
	}
	if (*disk.Space)(nil).Scratch() != nil {
		t.Error("there is a limit where there was none")
	}
}

// Numbers are the same whether they are in memory or in files, of which none is seen in the folder.
func TestSpace(t *testing.T) {
	for _, limit := range []int64{0, 1 << 20, math.MaxInt64} {
		dir := t.TempDir()
		s := disk.New(dir, limit)
		for _, n := range []int{0, 1, 1000, 1<<20 + 3, 1<<22 + 5} {
			l := disk.NewList(s, false)
			var several []float64 // of which some are added one by one, and others together
			for i := range n {
				if i%3000 < 1000 {
					l.AddAll(several)
					several = several[:0]
					l.Add(float64(i))
				} else {
					several = append(several, float64(i))
				}
			}
			if l.AddAll(several); l.Len() != n {
				t.Fatalf("%d numbers of %d", l.Len(), n)
			}
			x, err := l.Join()
			if err != nil || len(x) != n {
				t.Fatal(limit, n, err, len(x))
			}
			for i, v := range x {
				if v != float64(i) {
					t.Fatalf("limit %d: number %d is %v", limit, i, v)
				}
			}
			y, err := s.Numbers(n)
			if err != nil || slices.Max(append(y, 0)) != 0 {
				t.Fatal(err)
			}
			for i := range y {
				y[i] = x[i] + 1
			}
			inFile := n > 1000 && limit < 1<<30 || n > 0 && limit == 0
			for _, z := range [][]float64{x[n/2:], y[n/2:]} {
				f, offset := s.Find(z)
				if (f != nil) != inFile {
					t.Fatalf("limit %d: %d numbers are in a file: %v", limit, n, f != nil)
				}
				if b := make([]byte, 8); f != nil {
					if _, err := f.ReadAt(b, offset); err != nil || math.Float64frombits(binary.NativeEndian.Uint64(b)) != z[0] {
						t.Errorf("the file has %v, %v", b, err)
					}
				}
			}
		}
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("left in the folder: %v", left)
		}
		s.Close()
	}
}

// A folder that is not there is an error, and no panic.
func TestNoFolder(t *testing.T) {
	s := disk.New(filepath.Join(t.TempDir(), "none"), 0)
	var bad *disk.Error
	if _, err := s.Numbers(10); !errors.As(err, &bad) {
		t.Error(err)
	}
	l := disk.NewList(s, false)
	for i := range 1 << 21 {
		l.Add(float64(i))
	}
	if _, err := l.Join(); !errors.As(err, &bad) || l.Err() == nil {
		t.Error(err)
	}
}

// Rows are what they were saved as, to the bit; what has been changed of the file is noticed.
func TestSave(t *testing.T) {
	dir := t.TempDir()
	for _, r := range []disk.Rows{
		{Values: []float64{1, math.Copysign(0, -1), math.Pi, math.MaxFloat64, 5, 6}, Columns: 2, Weights: []float64{1, 2, 3}, Description: []byte(`{"a":1}`)},
		{Values: []float64{7}, Columns: 1},
		{Values: make([]float64, 100_003), Columns: 1, Description: []byte("12345678")},
	} {
		path := filepath.Join(dir, "rows")
		if err := disk.Save(path, r, noted); err != nil {
			t.Fatal(err)
		}
		s := disk.New(dir, 0)
		got, err := s.Load(path)
		if err != nil || got.Columns != r.Columns || !slices.Equal(got.Values, r.Values) || !slices.Equal(got.Weights, r.Weights) ||
			(got.Weights == nil) != (r.Weights == nil) || len(got.Description) < len(r.Description) || string(got.Description[:len(r.Description)]) != string(r.Description) {
			t.Fatalf("%v, %v", got, err)
		}
		s.Close()
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("left in the folder: %v", left)
	}
}

func TestDamaged(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "rows")
	good := disk.Rows{Values: make([]float64, 20_000), Columns: 4, Weights: make([]float64, 5000), Description: []byte("{}")}
	if err := disk.Save(path, good, noted); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	changed := func(at int, to byte) []byte {
		b := slices.Clone(whole)
		b[at] ^= to
		return b
	}
	for name, c := range map[string]struct {
		bytes   []byte
		damaged bool // else foreign
	}{
		"a value":      {changed(1<<16+8*77, 1), true},
		"a weight":     {changed(1<<16+8*20_000+16, 128), true},
		"description":  {changed(len(whole)-1, 4), true},
		"columns":      {changed(24, 1), true},
		"rows":         {changed(20, 1), true},
		"order":        {changed(9, 1), false},
		"cut off":      {whole[:len(whole)-1], true},
		"longer":       {append(slices.Clone(whole), 0), true},
		"header alone": {whole[:64], true},
		"unfinished":   {append(make([]byte, 1<<16), whole[1<<16:]...), true},
		"short":        {whole[:20], false},
		"empty":        {nil, false},
		"text":         {[]byte("x\n1\n2\n3.14159265358979323846264338327950288419716939937510582097494459230781\n"), false},
	} {
		if err := os.WriteFile(path, c.bytes, 0o600); err != nil {
			t.Fatal(err)
		}
		s := disk.New(dir, 0)
		_, err := s.Load(path)
		s.Close()
		var damaged *disk.DamagedError
		if err == nil || errors.As(err, &damaged) != c.damaged {
			t.Errorf("%s: %v", name, err)
		}
	}
}
