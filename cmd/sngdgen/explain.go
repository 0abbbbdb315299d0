package main

import (
	"errors"

	"github.com/sngdgen/sngdgen/gen"
	"github.com/sngdgen/sngdgen/internal/diag"
)

// withoutFlag leaves passes out.
type withoutFlag struct {
	Without []string `name:"without" placeholder:"PASS" help:"Leave a step of planning or a pass out, to see what it is worth; may be repeated. explain --passes lists them."`
}

// check refuses what is no pass, or is needed.
func (f withoutFlag) check() error {
	if err := gen.CheckWithout(f.Without); err != nil {
		return usageError{err}
	}
	return nil
}

type explainCmd struct {
	withoutFlag
	LaTeX   bool   `name:"latex" help:"Write formulas as LaTeX."`
	Program string `placeholder:"FUNCTION" help:"Write what a function of the package does, statement by statement, in place of the derivation: NaturalGradient, say; all for all of them."`
	Passes  bool   `help:"Write the steps and passes in which the programs of the package are made, and what each does to them, in place of the derivation."`
	Problem string `placeholder:"NAME" help:"Which problem, if the file has several."`
	Spec    string `arg:"" help:"Spec file, or name of a library problem."`
}

var errNotProgram = errors.New("--without is for --program and --passes: the derivation does not depend on passes")

// Run prints the derivation.
func (c *explainCmd) Run(s *session) error {
	if err := c.check(); err != nil {
		return err
	}
	if len(c.Without) > 0 && c.Program == "" && !c.Passes {
		return usageError{errNotProgram}
	}
	p, err := oneProblem(s, c.Spec, c.Problem)
	if err != nil {
		return err
	}
	var notes diag.List
	noteTerms(c.Spec, &notes)
	if err := s.diagnose(notes); err != nil {
		return err
	}
	switch {
	case c.Passes:
		err = gen.Passes(s, s.out, p, c.Without)
	case c.Program != "":
		err = gen.Programs(s, s.out, p, c.Program, c.Without)
	default:
		err = gen.Explain(s, s.out, p, c.LaTeX)
	}
	if s.Err() != nil { // interrupted
		return s.Err()
	}
	return err
}
