package main

import (
	"github.com/sngdgen/sngdgen"
	"github.com/sngdgen/sngdgen/spec"
)

type schemaCmd struct {
	Fit bool `help:"That of what fit --json prints, in the place of that of specs."`
}

// Run prints a JSON Schema.
func (c *schemaCmd) Run(s *session) error {
	text, err := sngdgen.FitSchema, error(nil)
	if !c.Fit {
		text, err = spec.Schema()
	}
	if err == nil {
		_, err = s.out.Write(text)
	}
	return err
}
