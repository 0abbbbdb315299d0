package rivals_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/tests/rivals"
)

func TestSets(t *testing.T) {
	sets, err := rivals.Sets()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, s := range sets {
		language, _, ok := strings.Cut(s.Package, ":")
		if seen[s.Name] || len(s.Columns) == 0 || !ok || language != "R" && language != "python" {
			t.Errorf("%+v: want a name of its own, columns, and a package of R or python", s)
		}
		seen[s.Name] = true
	}
}

func TestRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.csv")
	if err := os.WriteFile(file, []byte("a,b\n1, 2\n3,4.5\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	d, err := rivals.Read(file, []string{"b"})
	if err != nil || len(d.Rows) != 2 || d.Rows[0][0] != 2 || d.Rows[1][0] != 4.5 {
		t.Errorf("%+v, %v", d, err)
	}
	all, err := rivals.Read(file, nil)
	if err != nil || len(all.Columns) != 2 || all.SHA256 == d.SHA256 {
		t.Errorf("%+v, %v", all, err)
	}
	if _, err := rivals.Read(file, []string{"c"}); err == nil || !strings.Contains(err.Error(), "no column c") {
		t.Errorf("error %v", err)
	}
	if err := os.WriteFile(file, []byte("a\n1\nx\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := rivals.Read(file, nil); err == nil || !strings.Contains(err.Error(), "row 2, column a") {
		t.Errorf("error %v", err)
	}
}

type entry struct {
	Name  string
	Value float64
}

func (e entry) Key() string { return e.Name }

func TestAnswers(t *testing.T) {
	file := filepath.Join(t.TempDir(), "answers.json")
	a, err := rivals.Load[entry](file)
	if err != nil || len(a.Answers) != 0 {
		t.Fatalf("%v, %v", a, err)
	}
	a.Update(&rivals.Answers[entry]{Versions: map[string]string{"R": "4"}, Answers: []entry{{"b", 1}, {"a", 2}}})
	a.Update(&rivals.Answers[entry]{Versions: map[string]string{"sn": "2"}, Answers: []entry{{"b", 3}}})
	a.Order([]string{"a", "b"})
	if err := a.Save(file); err != nil {
		t.Fatal(err)
	}
	b, err := rivals.Load[entry](file)
	if err != nil || len(b.Answers) != 2 || b.Answers[0] != (entry{"a", 2}) || b.Answers[1] != (entry{"b", 3}) || b.Software() != "R 4, sn 2" {
		t.Errorf("%+v, %v", b, err)
	}
}
