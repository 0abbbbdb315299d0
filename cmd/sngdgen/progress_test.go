package main

import (
	"strings"
	"testing"
	"time"
)

// What takes long shows how far it is, and nothing stays; what does not shows nothing.
func TestProgress(t *testing.T) {
	var b strings.Builder
	p := &progress{out: &b, from: time.Now().Add(time.Hour)}
	p.show("reading x.csv", 1, 10)
	p.end()
	if b.Len() > 0 {
		t.Errorf("something is shown at once: %q", b.String())
	}
	p.from = time.Time{}
	p.show("reading x.csv", 1<<20, 1<<21)
	p.show("run 1, iteration 2, loss 3", 0, -1)
	p.end()
	shown := b.String()
	for _, want := range []string{"reading x.csv", "50%", "run 1, iteration 2, loss 3"} {
		if !strings.Contains(shown, want) {
			t.Errorf("no %q in %q", want, shown)
		}
	}
	if last := shown[strings.LastIndex(shown, "\r")+1:]; strings.TrimSpace(last) != "" {
		t.Errorf("at the end stands %q", last)
	}
	p.end()
	(*progress)(nil).show("nobody looks", 0, -1)
	(*progress)(nil).end()
}
