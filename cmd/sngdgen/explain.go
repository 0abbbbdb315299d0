package main

import "github.com/sngdgen/sngdgen/gen"

type explainCmd struct {
	LaTeX   bool   `name:"latex" help:"Write formulas as LaTeX."`
	Program string `placeholder:"FUNCTION" help:"Write what a function of the package does, statement by statement, in place of the derivation: NaturalGradient, say; all for all of them."`
	Problem string `placeholder:"NAME" help:"Which problem, if the file has several."`
	Spec    string `arg:"" help:"Spec file, or name of a library problem."`
}

// Run prints the derivation.
func (c *explainCmd) Run(s *session) error {
	p, err := oneProblem(s, c.Spec, c.Problem)
	if err != nil {
		return err
	}
	if c.Program != "" {
		err = gen.Programs(s, s.out, p, c.Program)
	} else {
		err = gen.Explain(s, s.out, p, c.LaTeX)
	}
	if s.Err() != nil { // interrupted
		return s.Err()
	}
	return err
}
