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
// time than compiling. Those of a posterior count once for each draw of a step.
const worthCompiling = 1 << 20

// compiles reports whether problems are to be compiled whatever the interpreter can do.
func (s *session) compiles(p *spec.Problem, job worker.Job, numbers int) bool {
	switch {
	case s.others != nil: // a program of its own cannot reach them
		return false
	case s.engine != engineAuto && s.engine != "":
		return s.engine == engineCompiled
	}
	if p.VI != nil {
		numbers *= p.VI.Draws
	}
	return job.Bench != nil || numbers >= worthCompiling && toolchain()
}

// interpreted returns what runs problems without a program of their own, nil where they are to be compiled.
func (s *session) interpreted(problems []*spec.Problem, job worker.Job, numbers int) (runner, error) {
	if s.compiles(problems[0], job, numbers) {
		return nil, nil
	}
	var models []func() runtime.Model
	for _, p := range problems {
		one, diags, unsupported := engine.Interpreted(s, p, gen.Options{Source: path.Base(p.Source.Name), Alone: true})
		if unsupported != nil && s.engine != engineInterpreted {
			return nil, nil // what else there is to say of the spec is said when it is compiled
		}
		if needsStart(job) {
			checkStart(p, &diags)
		}
		if err := s.diagnose(diags); err != nil {
			return nil, err
		}
		if unsupported != nil {
			return nil, fmt.Errorf("%s: %w\nhint: leave --engine out, and it is compiled, for which the go command is needed", p.Package, unsupported)
		}
		models = append(models, one)
	}
	return inProcess(s, models...), nil
}

// toolchain reports whether there is a go command.
func toolchain() bool {
	_, err := exec.LookPath("go")
	return err == nil
}

// inProcess runs jobs in this process.
func inProcess(ctx context.Context, models ...func() runtime.Model) runner {
	return func(job worker.Job, data runtime.Data) (*worker.Answer, error) {
		var made []runtime.Model
		for _, m := range models {
			made = append(made, m())
		}
		return worker.Do(ctx, made, job, data), nil
	}
}
