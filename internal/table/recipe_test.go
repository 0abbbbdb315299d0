package table_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/internal/table"
)

// A recipe that has been written and read makes the same columns of another file, with the columns in another order and fewer levels.
func TestRecipe(t *testing.T) {
	made := fromText(t, "sex,age,y\nf,20,1\nm,30,2\nx,40,3\n").Recipe()
	text, err := json.Marshal(made)
	if err != nil {
		t.Fatal(err)
	}
	var recipe table.Recipe
	if err := json.Unmarshal(text, &recipe); err != nil {
		t.Fatal(err)
	}
	if err := recipe.Valid(); err != nil {
		t.Fatal(err)
	}
	var o table.Options
	recipe.Choose(&o)
	other, err := table.Read(strings.NewReader("other,age,sex\n1,50,m\n2,60,f\n"), o)
	if err != nil {
		t.Fatal(err)
	}
	out, err := recipe.Make(other)
	if err != nil {
		t.Fatal(err)
	}
	if want := []float64{1, 50, 1, 0, 50, 1, 60, 0, 0, 0}; !slices.Equal(out.Values, want) {
		t.Errorf("values %v, want %v", out.Values, want)
	}
	if want := []string{"intercept", "age", "sex=m", "sex=x", "sex=m:age"}; !slices.Equal(out.Columns, want) {
		t.Errorf("columns %v, want %v", out.Columns, want)
	}
	for text, want := range map[string]string{
		"age,sex\n50,m\n60,z\n70,q\n": `data.csv:3:4: level "z" of sex, row 2 is none of those of the fit`,
		"age,sex\nold,m\n":            "not a number",
		"age\n50\n":                   `no column "sex"`,
		"age,sex\n50,m\n60,\n":        "empty cell",
	} {
		o.Name = "data.csv"
		if _, err := table.Read(strings.NewReader(text), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
	if p := recipe.Part(1, 2); len(p.Columns) != 1 || p.Levels != nil || recipe.Part(2, 3).Levels == nil {
		t.Errorf("part %+v", p)
	}
}

// fromText reads a table with an intercept, two columns of indicators, and a product.
func fromText(t *testing.T, text string) *table.Table {
	t.Helper()
	in, err := table.Read(strings.NewReader(text), table.Options{Terms: true, Columns: []string{"age", "sex"}})
	if err != nil {
		t.Fatal(err)
	}
	out, err := in.Arrange([]table.Column{{Name: "intercept"}, {Name: "age", Of: []int{0}, Level: []int{-1}}, {Name: "sex=m", Of: []int{1}, Level: []int{1}},
		{Name: "sex=x", Of: []int{1}, Level: []int{2}}, {Name: "sex=m:age", Of: []int{1, 0}, Level: []int{1, -1}}})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Of a file without a header columns have numbers.
func TestRecipeNumbered(t *testing.T) {
	in, err := table.Read(strings.NewReader("1,2\n3,4\n"), table.Options{Columns: []string{"2"}})
	if err != nil {
		t.Fatal(err)
	}
	recipe := in.Recipe()
	var o table.Options
	recipe.Choose(&o)
	other, err := table.Read(strings.NewReader("5,6\n"), o)
	if err != nil {
		t.Fatal(err)
	}
	if out, err := recipe.Make(other); err != nil || !slices.Equal(out.Values, []float64{6}) {
		t.Errorf("%v, %v", out, err)
	}
}

// Terms that are computed are computed again.
func TestRecipeComputed(t *testing.T) {
	in, err := table.Read(strings.NewReader("a,b\n1,2\n4,3\n"), table.Options{Terms: true, Columns: []string{"a", "b"}})
	if err != nil {
		t.Fatal(err)
	}
	c, err := table.ParseComputed("sqrt(a)")
	if err != nil {
		t.Fatal(err)
	}
	at, err := in.Add([]*table.Computed{c}, [][]int{{0}})
	if err != nil {
		t.Fatal(err)
	}
	recipe := in.RecipeOf([]table.Column{{Name: "sqrt(a)", Of: at, Level: []int{-1}}, {Name: "b:sqrt(a)", Of: []int{1, at[0]}, Level: []int{-1, -1}}})
	var o table.Options
	recipe.Choose(&o)
	other, err := table.Read(strings.NewReader("b,a\n5,9\n7,16\n"), o)
	if err != nil {
		t.Fatal(err)
	}
	out, err := recipe.Make(other)
	if err != nil || !slices.Equal(out.Values, []float64{3, 15, 4, 28}) {
		t.Errorf("%v, %v", out, err)
	}
	if err := (table.Recipe{Columns: []table.Made{{Of: []table.Factor{{Column: "log(", Computed: true}}}}}).Valid(); err == nil {
		t.Error("no error of a function that cannot be read")
	}
}
