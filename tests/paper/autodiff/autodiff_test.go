package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestExport: every array has the numbers of its shape, the coordinates at the start make the whole vector, and steps end at a finite loss that
// is the same when they are made again.
func TestExport(t *testing.T) {
	for _, task := range tasks {
		if strings.Contains(task.sizes, "1000") || task.otherDraws {
			continue // takes long, or is the same here
		}
		e, err := task.prepare("")
		if err != nil {
			t.Fatalf("%s: %v", task.name, err)
		}
		if e == nil {
			continue // there is no file
		}
		e.steps = 3
		folder := t.TempDir()
		if err := e.export(folder, 1); err != nil {
			t.Fatalf("%s: %v", task.name, err)
		}
		numbers := 0
		for name, a := range e.arrays {
			size := 1
			for _, n := range a.shape {
				size *= n
			}
			info, err := os.Stat(filepath.Join(folder, name))
			if err != nil || size != len(a.values) || info.Size() != int64(8*size) {
				t.Errorf("%s: %s of the shape %v has %d numbers (%v)", task.name, name, a.shape, len(a.values), err)
			}
			if _, auxiliary := e.auxiliary[name]; auxiliary || strings.HasPrefix(name, "z") {
				numbers += size
			}
		}
		if numbers != len(e.start) {
			t.Errorf("%s: %d coordinates, of %d", task.name, numbers, len(e.start))
		}
		first, err := e.run()
		if err != nil {
			t.Fatalf("%s: %v", task.name, err)
		}
		again, err := e.run()
		if err != nil || math.IsNaN(first.loss) || math.IsInf(first.loss, 0) || first.loss != again.loss {
			t.Errorf("%s: losses %v and %v (%v)", task.name, first.loss, again.loss, err)
		}
	}
}

// TestTable: a row says by how much losses differ, or that draws are others.
func TestTable(t *testing.T) {
	var b strings.Builder
	rows := []row{
		{task: &task{title: "a", sizes: "d = 1"}, ours: outcome{2e-6, 100}, theirs: answer{Seconds: 2e-5, Loss: 100 + 1e-7, Jax: "1", TFP: "2"}},
		{task: &task{title: "b", otherDraws: true}, ours: outcome{1e-6, 1}, theirs: answer{Seconds: 3e-6, Loss: 2}},
	}
	if err := write(&b, rows); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"JAX 1 with TensorFlow Probability 2", "| a | d = 1 | 2 | 20 | 10.0 | 1e-09 |", "| b |  | 1 | 3 | 3.0 | other draws |"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, &b)
		}
	}
}
