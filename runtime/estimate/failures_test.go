package estimate

import (
	"errors"
	"fmt"
	"testing"
)

// TestFailures: starts in a row that say the same are one line, and there are six lines at most.
func TestFailures(t *testing.T) {
	var runs []attempt
	for i, what := range []string{"a", "b", "b", "b", "c", "a", "d", "e", "f"} {
		runs = append(runs, attempt{start: i, err: errors.New(what)})
	}
	want := "start 0: a\nstarts 1 to 3: b\nstart 4: c\nstart 5: a\nstart 6: d\nand 2 more"
	if got := fmt.Sprint(failures(runs)); got != want {
		t.Errorf("%s", got)
	}
	if got := fmt.Sprint(failures(runs[:4])); got != "start 0: a\nstarts 1 to 3: b" {
		t.Errorf("%s", got)
	}
}
