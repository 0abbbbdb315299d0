package rivals

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
)

// Answers are what the others say, with their versions.
type Answers[A interface{ Key() string }] struct {
	Versions map[string]string `json:"versions"`
	Answers  []A               `json:"answers"`
}

// Load reads answers; a file that does not exist has none.
func Load[A interface{ Key() string }](file string) (*Answers[A], error) {
	a := &Answers[A]{Versions: map[string]string{}}
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return a, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, a); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return a, nil
}

// Update takes over the answers of others, in place of those with the same keys.
func (a *Answers[A]) Update(others *Answers[A]) {
	maps.Copy(a.Versions, others.Versions)
	for _, b := range others.Answers {
		if i := slices.IndexFunc(a.Answers, func(c A) bool { return c.Key() == b.Key() }); i >= 0 {
			a.Answers[i] = b
		} else {
			a.Answers = append(a.Answers, b)
		}
	}
}

// Order sorts the answers by the place of their keys in a list.
func (a *Answers[A]) Order(keys []string) {
	place := map[string]int{}
	for i, k := range keys {
		place[k] = i
	}
	slices.SortStableFunc(a.Answers, func(b, c A) int { return place[b.Key()] - place[c.Key()] })
}

// Save writes one line an answer.
func (a *Answers[A]) Save(file string) error {
	versions, err := json.Marshal(a.Versions)
	if err != nil {
		return err
	}
	lines := make([]string, len(a.Answers))
	for i, c := range a.Answers {
		line, err := json.Marshal(c)
		if err != nil {
			return err
		}
		lines[i] = string(line)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "{\"versions\":%s,\n\"answers\":[\n%s\n]}\n", versions, strings.Join(lines, ",\n"))
	part := file + ".part"
	if err := os.WriteFile(part, b.Bytes(), 0o644); err != nil {
		return err
	}
	return os.Rename(part, file)
}

// Software names the others with their versions.
func (a *Answers[A]) Software() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(a.Versions)) {
		parts = append(parts, name+" "+a.Versions[name])
	}
	return strings.Join(parts, ", ")
}
