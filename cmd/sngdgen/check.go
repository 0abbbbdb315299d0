package main

import (
	"fmt"

	"github.com/sngdgen/sngdgen/gen"
	"github.com/sngdgen/sngdgen/internal/diag"
)

type checkCmd struct {
	Spec []string `arg:"" name:"spec" help:"Spec files, or names of library problems."`
}

// Run checks everything it is given, whatever it finds.
func (c *checkCmd) Run(s *session) error {
	var all diag.List
	var sound []string
	for _, arg := range c.Spec {
		var loaded diag.List
		problems := loadProblems(arg, &loaded)
		noteTerms(arg, &loaded)
		all.Append(loaded)
		for _, p := range problems {
			found := gen.Check(s, p, gen.Options{Source: arg})
			all.Append(found)
			if !found.HasErrors() {
				sound = append(sound, p.Package)
			}
		}
		if len(problems) == 0 && !loaded.HasErrors() {
			sound = append(sound, arg+" (no problem in it)")
		}
	}
	if err := s.Err(); err != nil { // interrupted
		return err
	}
	err := s.diagnose(all)
	for _, name := range sound {
		fmt.Fprintf(s.out, "%s: ok\n", name)
	}
	return err
}
