package main

import (
	"github.com/sngdgen/sngdgen"
	"github.com/sngdgen/sngdgen/spec"
)

type schemaCmd struct {
	Output bool `help:"That of what commands print with --json, in the place of that of specs."`
}

// Run prints a JSON Schema.
func (c *schemaCmd) Run(s *session) error {
	text, err := sngdgen.OutputSchema, error(nil)
	if !c.Output {
		text, err = spec.Schema()
	}
	if err == nil {
		_, err = s.out.Write(text)
	}
	return err
}
