package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/sngdgen/sngdgen/internal/diag"
	"github.com/sngdgen/sngdgen/spec"
)

type migrateCmd struct {
	Check bool     `help:"Write nothing: say which files would change, with the exit code 1 if there are any."`
	Spec  []string `arg:"" help:"Spec files."`
}

// Run reads all files before it writes any.
func (c *migrateCmd) Run(s *session) error {
	var diags diag.List
	texts := map[string][]byte{} // of those that change
	for _, arg := range c.Spec {
		if err := checkSpecArg(arg); err != nil {
			return err
		}
		text, migrated, found := spec.MigrateFile(arg)
		diags.Append(found)
		if !bytes.Equal(text, migrated) {
			texts[arg] = migrated
		}
	}
	if err := s.diagnose(diags); err != nil {
		return err
	}
	for _, arg := range c.Spec {
		if err := c.write(s, arg, texts[arg]); err != nil {
			return err
		}
	}
	if c.Check && len(texts) > 0 {
		return errors.New(plural(len(texts), "file") + " not in the newest version of the language; without --check they are rewritten")
	}
	return nil
}

// write rewrites a file; nil is one that stays as it is.
func (c *migrateCmd) write(s *session, path string, text []byte) error {
	word := "rewritten in"
	switch {
	case text == nil:
		word = "is in"
	case c.Check:
		word = "is not in"
	default:
		err := s.writeWhole(path, func(w io.Writer) error {
			_, err := w.Write(text)
			return err
		})
		if err != nil {
			return fmt.Errorf("%s: %w", path, cause(err))
		}
	}
	_, err := fmt.Fprintf(s.out, "%s %s version %d\n", path, word, spec.Version)
	return err
}
