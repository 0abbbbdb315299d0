package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/sngdgen/sngdgen/spec"
)

type listCmd struct{}

// Run prints the problems of the library, which can be fitted, and what they are made of, which specs can refer to.
func (*listCmd) Run(s *session) error {
	w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "PROBLEM\tTARGET\tSURROGATE\tSTEP\tOBJECTIVE")
	lib := spec.Library()
	for _, name := range lib.Problems() {
		p := lib.Problem(name)
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", p.Package, mixtureOf(p, targetName(p)), mixtureOf(p, p.Surrogate.Name), p.Step,
			p.Objective, p.Doc)
	}
	fmt.Fprintln(w, "\nFAMILY\tPARAMETERS")
	for _, name := range lib.Families() {
		f := lib.Family(name)
		fmt.Fprintf(w, "%s\t%s\t\t\t\t%s\n", f.Name, paramNames(f.Parameters), f.Doc)
	}
	fmt.Fprintln(w, "\nDISTRIBUTION\tPARAMETERS")
	for _, name := range lib.Distributions() {
		d := lib.Distribution(name)
		fmt.Fprintf(w, "%s\t%s\t\t\t\t%s\n", d.Name, paramNames(d.Parameters), d.Doc)
	}
	fmt.Fprintln(w, "\nAPPROXIMATION\tTARGET\tCONTAINS")
	for _, name := range lib.Approximations() {
		a := lib.Approximation(name)
		fmt.Fprintf(w, "%s\t%s\t%s\t\t\t%s\n", a.Name, a.TargetName(), containedIn(a), a.Doc)
	}
	return w.Flush()
}

// containedIn names what an approximation contains.
func containedIn(a *spec.Approximation) string {
	var names []string
	for _, c := range a.Contains {
		names = append(names, c.Approximation.Name)
	}
	return strings.Join(names, ", ")
}

// mixtureOf says that a problem mixes what has a name, if it does.
func mixtureOf(p *spec.Problem, name string) string {
	if p.Components == nil {
		return name
	}
	return fmt.Sprintf("mixture of %v %s", p.Components, name)
}

func targetName(p *spec.Problem) string {
	if p.TargetDist != nil {
		return p.TargetDist.Name
	}
	return p.TargetFamily.Name
}

func paramNames(params []spec.Param) string {
	var names []string
	for _, p := range params {
		name := p.Name
		if !p.Type.IsScalar() {
			name += " " + p.Type.String()
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}
