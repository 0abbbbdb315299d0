package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/sngdgen/sngdgen/tests/rivals"
)

// reports are what sngdgen said, kept in a file so that a table can be made in several runs, or after one that was interrupted.
type reports struct {
	file  string // empty: nothing is kept
	known map[string]*rivals.Report
}

// keptReport is a line of the file.
type keptReport struct {
	Test      string          `json:"test"`
	SHA256    string          `json:"sha256"` // of the data
	Processor float64         `json:"processor"`
	Status    string          `json:"status"`
	Report    json.RawMessage `json:"report"` // null where a fit has ended with its status alone
}

func readReports(file string) (*reports, error) {
	r := &reports{file, map[string]*rivals.Report{}}
	if file == "" {
		return r, nil
	}
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<26)
	for in.Scan() {
		var k keptReport
		report := new(rivals.Report)
		if err := json.Unmarshal(in.Bytes(), &k); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if err := json.Unmarshal(k.Report, report); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		report.Status, report.Processor, report.Raw = k.Status, k.Processor, k.Report
		r.known[k.Test+" "+k.SHA256] = report
	}
	return r, in.Err()
}

// of returns the report that is known about a test, nil if there is none.
func (r *reports) of(t *test) *rivals.Report { return r.known[t.key()+" "+t.data.SHA256] }

// keep appends a report to the file.
func (r *reports) keep(t *test, report *rivals.Report) error {
	if r.file == "" {
		return nil
	}
	raw := report.Raw
	if raw == nil {
		raw = json.RawMessage("null")
	}
	line, err := json.Marshal(keptReport{t.key(), t.data.SHA256, report.Processor, report.Status, raw})
	if err != nil {
		return err
	}
	f, err := os.OpenFile(r.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}
