package spec

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"
)

// compiled is the schema of specs.
func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("spec.json", parsed); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("spec.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// validate checks all documents of a text.
func validate(t *testing.T, s *jsonschema.Schema, text []byte) error {
	t.Helper()
	loader, err := yaml.NewLoader(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for {
		var doc any
		if err := loader.Load(&doc); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if doc == nil {
			continue
		}
		text, err := json.Marshal(doc)
		if err != nil {
			return err
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			return err
		}
		if err := s.Validate(value); err != nil {
			return err
		}
	}
}

// Every spec of the library, and every other one in the repository that is read without an error, meets the schema.
func TestSchemaOfSpecs(t *testing.T) {
	s := compiled(t)
	var files []string
	for _, dir := range []string{"library", "../tests", "../gen", "../cmd"} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if filepath.Ext(path) == ".yaml" {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	seen := 0
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, diags := LoadFile(path); diags.HasErrors() && filepath.Dir(filepath.Dir(path)) != "library" {
			continue
		}
		seen++
		if err := validate(t, s, text); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	if seen < 100 {
		t.Errorf("only %d specs", seen)
	}
}

// Misspelt and missing keys, and values of another kind, do not.
func TestSchemaRefuses(t *testing.T) {
	s := compiled(t)
	for _, text := range []string{
		"package: a\ntarget: normal\nsurrogate: normal\nmapp: {mu: mu}\n",
		"package: a\ntarget: normal\nsurrogate: normal\n",
		"package: A\ntarget: normal\nsurrogate: normal\nmap: {mu: mu}\n",
		"package: a\ntarget: normal\nsurrogate: normal\nmap: [mu]\n",
		"package: a\ntarget: normal\nsurrogate: normal\nmap: {mu: mu}\nstep: median\n",
		"package: a\ntarget: {mixture: normal}\nsurrogate: normal\nmap: {mu: mu}\n",
		"distribution: d\nvariable: {x: real}\nparameters: {m: real}\nlogpdf: {x: 1}\n",
	} {
		if validate(t, s, []byte(text)) == nil {
			t.Errorf("no error in\n%s", text)
		}
	}
}

// Every key of the tables has a schema of its value.
func TestSchemaOfKeys(t *testing.T) {
	values := schemaValues()
	for _, key := range slices.Concat(problemKeys, problemOptions, approximatedKeys, approximatedOptions, distributionKeys, distributionOptions, familyKeys,
		familyOptions, approximationKeys, approximationOptions, limitKeys, limitOptions, viKeys, viOptions, mixtureKeys) {
		if values[key] == nil && !slices.Contains(mixtureKeys, key) {
			t.Errorf("no schema of %s", key)
		}
	}
}
