package main

import (
	"errors"
	"fmt"
	"path"

	"github.com/sngdgen/sngdgen"
	"github.com/sngdgen/sngdgen/gen"
	"github.com/sngdgen/sngdgen/generated"
	"github.com/sngdgen/sngdgen/internal/build"
	"github.com/sngdgen/sngdgen/internal/build/worker"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/spec"
)

// runner runs jobs on one problem.
type runner func(job worker.Job, data runtime.Data) (*worker.Answer, error)

// do runs a job on a problem and its data. Values that the model refuses are reported where they stand in the file.
func (s *session) do(arg string, p *spec.Problem, job worker.Job, data source) (*worker.Answer, error) {
	run, err := s.runner(arg, p, job, len(data.Data().Values))
	if err != nil {
		return nil, err
	}
	return s.runJob(run, job, data)
}

// runJob runs a job with its data.
func (s *session) runJob(run runner, job worker.Job, data source) (*worker.Answer, error) {
	if job.Sample == nil && s.others == nil { // others would wait for what has ended early
		defer s.listen()()
	}
	defer s.showing(&job)()
	var answer *worker.Answer
	var err error
	if s.others != nil {
		answer, err = s.processed(run, job, data)
	} else {
		answer, err = run(job, data.Data())
	}
	switch {
	case err != nil:
		return nil, err
	case answer.Err() != nil && s.Err() != nil: // what is wrong is that it was stopped
		return nil, s.Err()
	case answer.Err() != nil:
		return nil, data.Locate(answer.Err())
	case answer.Fit == nil && answer.Compared == nil && answer.Posterior == nil && answer.Ladder == nil && answer.Bench == nil &&
		answer.Sample == nil && answer.Scores == nil && answer.Forecast == nil && answer.Ranked == nil:
		return nil, errors.New("sngdgen: the job ended without an answer")
	}
	return answer, nil
}

// runner returns what runs a problem: the package that is compiled into this command for a problem of the library, and the
// interpreter or a program made for it otherwise, also where passes are left out. It is refused when a start is needed, and there is none.
func (s *session) runner(arg string, p *spec.Problem, job worker.Job, numbers int) (runner, error) {
	if own := spec.Library().Problem(arg); !isSpecFile(arg) && own != nil && own.Approximation == p.Approximation &&
		s.engine != engineInterpreted && len(s.without) == 0 {
		if model, ok := generated.Lookup(p.Package); ok {
			return inProcess(s, model), nil
		}
	}
	return s.ownRunner([]*spec.Problem{p}, job, numbers)
}

// ownRunner returns what runs problems of the user: the interpreter, or a program.
func (s *session) ownRunner(problems []*spec.Problem, job worker.Job, numbers int) (runner, error) {
	if run, err := s.interpreted(problems, job, numbers); run != nil || err != nil {
		return run, err
	}
	return s.compiled(problems, needsStart(job))
}

// needsStart reports whether a job begins at a start.
func needsStart(job worker.Job) bool { return job.Sample == nil && job.Use == nil }

// compiled returns what runs a program made for problems.
func (s *session) compiled(problems []*spec.Problem, start bool) (runner, error) {
	program, err := s.compile(problems, start)
	return func(job worker.Job, data runtime.Data) (*worker.Answer, error) {
		return build.Run(s, program, job, data, s.space, s.err)
	}, err
}

// compile generates and compiles the packages of problems, of which there is at least one.
func (s *session) compile(problems []*spec.Problem, start bool) (program string, err error) {
	source := build.Source{Library: sngdgen.Sources, Log: s.err}
	for _, p := range problems {
		// The name without its folder: where the spec lies makes no other program of it.
		files, diags := gen.Generate(s, p, gen.Options{Source: path.Base(p.Source.Name), Alone: true, Without: s.without})
		if start {
			checkStart(p, &diags)
		}
		if err := s.diagnose(diags); err != nil {
			return "", err
		}
		pkg := build.Package{Name: p.Package, Model: "new(problem.Model)"}
		if len(problems) > 1 {
			pkg.Name = p.Approximation.Name
		}
		for _, f := range files {
			pkg.Files = append(pkg.Files, build.File{Name: f.Name, Data: f.Data})
		}
		source.Packages = append(source.Packages, pkg)
	}
	defer s.listen()()
	if program, err = source.Compile(s); err != nil {
		return "", fmt.Errorf("%s: %w", problems[0].Package, err)
	}
	return program, nil
}
