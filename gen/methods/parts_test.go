package methods_test

import "testing"

// TestParts: natural gradients of mixtures are parts of both gradients; where the algebra makes them cheaper by themselves, as for skew-normal distributions, where
// they go over no rows, and in posteriors, whose gradients alone ask less of the model, they are planned by themselves.
func TestParts(t *testing.T) {
	for name, want := range map[string]string{"mvnormalmix": "Gradients", "mvstudentt": "Gradients", "skewnormal": "", "mvnormal": "", "logisticmix": ""} {
		s := packages(t)[name].Functions["NaturalGradient"].Steps[0]
		if s.PartOf != want {
			t.Errorf("the natural gradient of %s is a part of %q, not of %q", name, s.PartOf, want)
		}
		if s.Program.Name != "NaturalGradient" {
			t.Errorf("%s: the program is called %s", name, s.Program.Name)
		}
	}
}
