package main

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// write prints the table. It names files without the folder that they are in.
func (s *sweep) write(out io.Writer) error {
	found := s.judge()
	software, err := versions(s.data)
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# A sweep over data of others\n\nWritten by `go run ./tests/sweep` (see its package comment) on %s, by sngdgen %s.\n\n",
		time.Now().Format(time.DateOnly), s.version)
	fmt.Fprintf(&b, "%d fits of %d distributions to %d files, one after the other with one worker, at most %v each. Data sets are those of these R packages: %s.\n\n",
		len(s.jobs), len(s.labels()), s.files(), s.limit, software)
	fmt.Fprintf(&b, "A finding is a fit that fails a check, not the proof of a fault: a higher point may be another maximum. To see one again: `sngdgen fit FAMILY DATA/FILE.csv`.\n\n")
	s.writeStatuses(&b)
	s.writeChecks(&b, found)
	s.writeSlowest(&b)
	_, err = io.WriteString(out, b.String())
	return err
}

// versions are those of the packages that were exported.
func versions(folder string) (string, error) {
	text, err := os.ReadFile(filepath.Join(folder, "versions.csv"))
	if errors.Is(err, fs.ErrNotExist) {
		return "unknown", nil
	}
	if err != nil {
		return "", err
	}
	rows, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil {
		return "", err
	}
	var parts []string
	for _, row := range rows[1:] {
		parts = append(parts, row[0]+" "+row[1])
	}
	return strings.Join(parts, ", "), nil
}

// labels are the distributions of the jobs, in their order.
func (s *sweep) labels() (labels []string) {
	for _, j := range s.jobs {
		if !slices.Contains(labels, j.Label()) {
			labels = append(labels, j.Label())
		}
	}
	return labels
}

func (s *sweep) files() int {
	names := map[string]bool{}
	for _, j := range s.jobs {
		names[j.file.Name] = true
	}
	return len(names)
}

// status of a job, as it is counted.
func (s *sweep) status(j *job) string {
	r, fault := decode(s.said[j.Key()])
	if fault != "" {
		kind, _, _ := strings.Cut(fault, ":")
		return kind
	}
	return r.Status
}

func (s *sweep) writeStatuses(b *strings.Builder) {
	count := map[string]map[string]int{}
	all := map[string]int{}
	for _, j := range s.jobs {
		if count[j.Label()] == nil {
			count[j.Label()] = map[string]int{}
		}
		status := s.status(j)
		count[j.Label()][status]++
		all[status]++
	}
	statuses := slices.SortedFunc(maps.Keys(all), func(x, y string) int { return cmp.Or(all[y]-all[x], strings.Compare(x, y)) })
	fmt.Fprintf(b, "## Statuses\n\n| distribution | fits | %s |\n|---%s|\n", strings.Join(statuses, " | "), strings.Repeat("|---", len(statuses)+1))
	for _, label := range s.labels() {
		fits := 0
		var cells []string
		for _, status := range statuses {
			n := count[label][status]
			fits += n
			cells = append(cells, blankZero(n))
		}
		fmt.Fprintf(b, "| %s | %d | %s |\n", label, fits, strings.Join(cells, " | "))
	}
	b.WriteString("\n")
}

func blankZero(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

func (s *sweep) writeChecks(b *strings.Builder, found []finding) {
	checks := slices.Clone(allChecks)
	if s.base == "" {
		checks = slices.DeleteFunc(checks, func(c check) bool { return c == differs })
	}
	of := map[check][]finding{}
	for _, f := range found {
		of[f.Check] = append(of[f.Check], f)
	}
	b.WriteString("## Checks\n\n| check | fits that fail | what fails |\n|---|---|---|\n")
	for _, c := range checks {
		fmt.Fprintf(b, "| %s | %d | %s |\n", c.Name, len(of[c]), c.Says)
	}
	b.WriteString("\n")
	for _, c := range checks {
		writeFindings(b, c, of[c])
	}
}

// writeFindings lists those of a check, the largest first.
func writeFindings(b *strings.Builder, c check, found []finding) {
	if len(found) == 0 {
		return
	}
	slices.SortStableFunc(found, func(x, y finding) int { return cmp.Compare(y.Size, x.Size) })
	fmt.Fprintf(b, "## %s\n\n| fit | file | rows, distinct | |\n|---|---|---|---|\n", capital(c.Name))
	for _, f := range found[:min(len(found), listedInFull)] {
		fmt.Fprintf(b, "| %s | %s | %d, %d | %s |\n", f.Job.Label(), f.Job.file.Name, f.Job.file.Rows, f.Job.file.Distinct, cell(f.Text))
	}
	if more := len(found) - listedInFull; more > 0 {
		fmt.Fprintf(b, "\nand %d more.\n", more)
	}
	b.WriteString("\n")
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// cell is a text that does not end its cell. Paths are those of the machine that the table was made on.
func cell(text string) string {
	words := strings.Fields(text)
	for i, w := range words {
		if strings.HasPrefix(w, "/") {
			words[i] = filepath.Base(w)
		}
	}
	return strings.ReplaceAll(strings.Join(words, " "), "|", "\\|")
}

const slowest = 15

// writeSlowest lists the fits that took most processor time: the machine may have done other work too.
func (s *sweep) writeSlowest(b *strings.Builder) {
	jobs := slices.Clone(s.jobs)
	seconds := func(j *job) float64 { return s.said[j.Key()].Processor }
	slices.SortStableFunc(jobs, func(x, y *job) int { return cmp.Compare(seconds(y), seconds(x)) })
	b.WriteString("## The slowest\n\n| fit | file | rows, distinct | columns | seconds of processor time | status |\n|---|---|---|---|---|---|\n")
	for _, j := range jobs[:min(len(jobs), slowest)] {
		fmt.Fprintf(b, "| %s | %s | %d, %d | %d | %.1f | %s |\n", j.Label(), j.file.Name, j.file.Rows, j.file.Distinct, j.file.Columns, seconds(j), s.status(j))
	}
}
