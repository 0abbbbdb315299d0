package studio

import "testing"

// TestPosterior: data of posteriors are found by their names, vectors that are given once among them, and fitted, by a bound and by
// expectation propagation.
func TestPosterior(t *testing.T) {
	const rows = "X1,X2,y\n1,0.3,1\n1,-1,0\n1,0.5,1\n1,2,1\n1,-0.4,0\n1,0.2,0\n"
	for name, text := range map[string]string{"eightschools": "y,sigma\n28,15\n8,10\n-3,16\n7,11\n-1,9\n1,11\n18,10\n12,18\n", "logistic": rows, "probit": rows} {
		r := dataRequest{specRequest: library(name), Name: "d.csv", Text: text}
		in, _, fault := ask[inspected](t, "columns", r)
		if fault != nil {
			t.Fatal(fault)
		}
		r.Columns = in.Chosen
		got, _, fault := ask[struct {
			Kind, Trouble string
			Panels        []struct{ Name string }
		}](t, "fit", fitRequest{dataRequest: r})
		if fault != nil || got.Kind != "posterior" || got.Trouble != "" || len(got.Panels) < 3 || got.Panels[0].Name != "margins" {
			t.Errorf("%s: %+v, %+v", name, fault, got)
		}
	}
}
