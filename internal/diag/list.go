package diag

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Severity says how bad it is. The zero Severity is Error.
type Severity int

// The severities.
const (
	Error   Severity = iota // nothing can be generated
	Warning                 // something is generated, but look at this
	Note                    // more about another diagnostic
)

// String returns the word that is printed in front of the message.
func (s Severity) String() string {
	switch s {
	case Warning:
		return "warning"
	case Note:
		return "note"
	}
	return "error"
}

// Diagnostic is one thing to say about one place.
type Diagnostic struct {
	Severity Severity
	Span     Span
	Message  string
	Hint     string // what may help; empty when there is nothing to add
}

// WithHint sets the hint and returns the diagnostic. An empty hint prints nothing.
func (d *Diagnostic) WithHint(format string, args ...any) *Diagnostic {
	d.Hint = sprintf(format, args)
	return d
}

// sprintf leaves a format without arguments alone, so that a ready-made text may hold a per cent sign.
func sprintf(format string, args []any) string {
	if len(args) == 0 {
		return format
	}
	return fmt.Sprintf(format, args...)
}

// MaxDiagnostics is the number of diagnostics a list keeps. A hostile file could make one for every byte, and nobody
// reads more.
const MaxDiagnostics = 200

// List collects diagnostics. The zero List is empty and ready to use.
type List struct {
	items   []*Diagnostic
	dropped int
}

// Errorf adds an error.
func (l *List) Errorf(span Span, format string, args ...any) *Diagnostic {
	return l.Add(&Diagnostic{Severity: Error, Span: span, Message: sprintf(format, args)})
}

// Warningf adds a warning.
func (l *List) Warningf(span Span, format string, args ...any) *Diagnostic {
	return l.Add(&Diagnostic{Severity: Warning, Span: span, Message: sprintf(format, args)})
}

// Notef adds a note.
func (l *List) Notef(span Span, format string, args ...any) *Diagnostic {
	return l.Add(&Diagnostic{Severity: Note, Span: span, Message: sprintf(format, args)})
}

// Add adds a diagnostic and returns it. Past MaxDiagnostics it is only counted.
func (l *List) Add(d *Diagnostic) *Diagnostic {
	if len(l.items) >= MaxDiagnostics {
		l.dropped++
		// An error that is dropped must still fail the run: the last place is given up for it.
		if d.Severity == Error && !l.HasErrors() {
			l.items[len(l.items)-1] = d
		}
		return d
	}
	l.items = append(l.items, d)
	return d
}

// Full reports whether further diagnostics are only counted, so that no work need be put into their hints.
func (l *List) Full() bool { return len(l.items) >= MaxDiagnostics }

// Append adds all diagnostics of another list.
func (l *List) Append(other List) {
	for _, d := range other.items {
		l.Add(d)
	}
	l.dropped += other.dropped
}

// HasErrors reports whether there is an error; warnings and notes do not count.
func (l List) HasErrors() bool {
	return slices.ContainsFunc(l.items, func(d *Diagnostic) bool { return d.Severity == Error })
}

// Len returns the number of diagnostics, counting repetitions.
func (l List) Len() int { return len(l.items) }

// All returns the diagnostics without repetitions, sorted by source, position and severity.
func (l List) All() []*Diagnostic {
	items := slices.Clone(l.items)
	slices.SortStableFunc(items, compare)
	return slices.CompactFunc(items, func(a, b *Diagnostic) bool {
		return a.Severity == b.Severity && a.Span == b.Span && a.Message == b.Message
	})
}

func compare(a, b *Diagnostic) int {
	return cmp.Or(
		strings.Compare(sourceName(a), sourceName(b)),
		cmp.Compare(a.Span.Start, b.Span.Start),
		cmp.Compare(a.Span.End, b.Span.End),
		cmp.Compare(a.Severity, b.Severity),
		strings.Compare(a.Message, b.Message),
	)
}

func sourceName(d *Diagnostic) string {
	if d.Span.Source == nil {
		return ""
	}
	return d.Span.Source.Name
}

// Err returns nil when there are no errors, else an error whose text is the rendered list.
func (l List) Err() error {
	if !l.HasErrors() {
		return nil
	}
	return &ListError{List: l}
}

// ListError is a list of diagnostics as a Go error.
type ListError struct{ List List }

// Error returns the rendered diagnostics.
func (e *ListError) Error() string { return strings.TrimSuffix(e.List.String(), "\n") }
