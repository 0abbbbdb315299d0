package main

import (
	"context"
	"fmt"
	"os/exec"
	"path"

	"github.com/sngdgen/sngdgen/gen"
	"github.com/sngdgen/sngdgen/gen/engine"
	"github.com/sngdgen/sngdgen/internal/build/worker"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/spec"
)

// The engines that run a spec.
const (
	engineAuto        = "auto"
	engineInterpreted = "interpreted"
	engineCompiled    = "compiled"
)

// engineFlag chooses one.
type engineFlag struct {
	Engine string `default:"auto" enum:"auto,interpreted,compiled" placeholder:"NAME" help:"How a spec is run: interpreted at once, compiled by the Go toolchain, or auto, which compiles what the interpreter has no code for, and for very large data."`
}

// worthCompiling is from how many numbers of data on a program is compiled, if there is a toolchain: a fit of fewer takes less
// time than compiling.
const worthCompiling = 1 << 20

// interpreted returns what runs a problem without a program of its own, nil where it is to be compiled.
func (s *session) interpreted(p *spec.Problem, job worker.Job, numbers int) (runner, error) {
	if s.engine == engineCompiled || job.Bench != nil && s.engine != engineInterpreted {
		return nil, nil
	}
	if s.engine != engineInterpreted && (p.VI != nil || numbers >= worthCompiling && toolchain()) {
		return nil, nil
	}
	make, diags, unsupported := engine.Interpreted(s, p, gen.Options{Source: path.Base(p.Source.Name)})
	if unsupported != nil && s.engine != engineInterpreted {
		return nil, nil // what else there is to say of the spec is said when it is compiled
	}
	if job.Sample == nil && job.Use == nil {
		checkStart(p, &diags)
	}
	if err := s.diagnose(diags); err != nil {
		return nil, err
	}
	if unsupported != nil {
		return nil, fmt.Errorf("%s: %w\nhint: leave --engine out, and it is compiled, for which the go command is needed", p.Package, unsupported)
	}
	return inProcess(s, make), nil
}

// toolchain reports whether there is a go command.
func toolchain() bool {
	_, err := exec.LookPath("go")
	return err == nil
}

// inProcess runs jobs in this process.
func inProcess(ctx context.Context, make func() runtime.Model) runner {
	return func(job worker.Job, data runtime.Data) (*worker.Answer, error) {
		return worker.Do(ctx, []runtime.Model{make()}, job, data), nil
	}
}
