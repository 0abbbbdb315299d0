package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	terminal "golang.org/x/term"

	"github.com/sngdgen/sngdgen/internal/build/worker"
	"github.com/sngdgen/sngdgen/internal/table"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// progress is a line on a terminal that says how far a command is. It appears when that has taken a while and is removed at the end, so
// that short commands show nothing, and long ones leave nothing behind.
type progress struct {
	out   io.Writer
	from  time.Time // when it appears
	bar   *progressbar.ProgressBar
	total int64 // of what the bar is of, -1 for what has no end that is known
}

// silence is how long a command may take without a sign of life.
const silence = time.Second

// progress returns nil, of which all methods do nothing, where there is no terminal, or --quiet.
func (s *session) progress() *progress {
	f, ok := s.err.(*os.File)
	if !ok || s.quiet || !terminal.IsTerminal(int(f.Fd())) {
		return nil
	}
	return &progress{out: f, from: time.Now().Add(silence)}
}

// show sets what the line says, and how much of how much is done, -1 where nobody knows.
func (p *progress) show(text string, done, total int64) {
	if p == nil || time.Now().Before(p.from) {
		return
	}
	if p.bar == nil || p.total != total {
		p.end()
		p.total = total
		p.bar = progressbar.NewOptions64(total, progressbar.OptionSetWriter(p.out), progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionSetDescription(text), progressbar.OptionClearOnFinish(), progressbar.OptionSetWidth(20), progressbar.OptionSetPredictTime(total > 0),
			progressbar.OptionShowBytes(total > 0))
	}
	if total > 0 {
		p.bar.Set64(done)
	}
	p.bar.Describe(text)
}

// end removes the line.
func (p *progress) end() {
	if p != nil && p.bar != nil {
		p.bar.Finish()
		p.bar.Clear()
		p.bar = nil
	}
}

// readTable reads a data file.
func (s *session) readTable(path string, o table.Options) (*table.Table, error) {
	if p := s.progress(); p != nil {
		o.Progress = func(done, total int64) { p.show("reading "+path, done, total) }
		defer p.end()
	}
	o.Convert = s.columns
	if o.Space = s.space; s.space != nil {
		o.Cache, o.Temporary = s.cache, s.temporary
	}
	t, err := table.ReadFile(path, s.in, o)
	if err == nil && s.others != nil {
		s.others.ownRows = s.others.ownRows || t.Shared
		t.Shared = s.others.ownRows
	}
	if err == nil && t.Cached {
		fmt.Fprintf(s.err, "note: %s: the rows are those of %s\n", path, s.cache)
	}
	return t, err
}

// showing has a fit say where its runs are. The function it returns removes what they said.
func (s *session) showing(job *worker.Job) (end func()) {
	p := s.progress()
	if p == nil || job.Fit == nil {
		return func() {}
	}
	settings := *job.Fit
	settings.Progress = func(q estimate.Progress) {
		p.show(fmt.Sprintf("run %d, iteration %d, loss %.6g", q.Run+1, q.Iteration, q.Loss), 0, -1)
	}
	job.Fit = &settings
	return p.end
}
