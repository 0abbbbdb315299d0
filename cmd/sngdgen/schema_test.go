package main

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

const schemaFile = "../../docs/output.schema.json"

// object is a JSON object; encoding/json writes its members in alphabetic order.
type object = map[string]any

// special are the types that do not become in JSON what they are in Go.
var special = map[reflect.Type]object{
	reflect.TypeFor[estimate.Number]():    {"type": []string{"number", "null"}},
	reflect.TypeFor[estimate.Values]():    {"$ref": "#/$defs/Values"},
	reflect.TypeFor[estimate.Intervals](): {"$ref": "#/$defs/Intervals"},
	reflect.TypeFor[estimate.Sizes]():     {"$ref": "#/$defs/Sizes"},
	reflect.TypeFor[runtime.Status]():     {"type": "string"},
}

func handwritten() object {
	numbers := object{"anyOf": []object{{"type": []string{"number", "null"}}, {"type": "array", "items": object{"$ref": "#/$defs/Numbers"}}}}
	return object{
		"Numbers": numbers,
		"Values": object{"type": []string{"object", "null"}, "additionalProperties": object{"$ref": "#/$defs/Numbers"},
			"description": "Parameters by name, in their order: a number, an array of a vector, an array of the rows of a matrix; of a mixture an array of those of each component."},
		"Intervals": object{"type": []string{"object", "null"}, "additionalProperties": object{"$ref": "#/$defs/Numbers"},
			"description": "Intervals by the name of the parameter: a pair of its ends, or arrays of pairs in the shape of the parameter."},
		"Sizes": object{"type": "object", "additionalProperties": object{"type": "integer"}, "description": "Lengths of dimensions by name."},
	}
}

// schemas describe Go types.
type schemas struct {
	docs map[string]string // of fields, by Type.Field
	defs object
}

// of is the schema of a type; that of a struct goes to the definitions.
func (s *schemas) of(t reflect.Type) object {
	if known, ok := special[t]; ok {
		return maps.Clone(known)
	}
	switch t.Kind() {
	case reflect.Pointer:
		inner := s.of(t.Elem())
		return object{"anyOf": []object{inner, {"type": "null"}}}
	case reflect.Slice, reflect.Array:
		return object{"type": []string{"array", "null"}, "items": s.of(t.Elem())}
	case reflect.Map:
		return object{"type": []string{"object", "null"}, "additionalProperties": s.of(t.Elem())}
	case reflect.String:
		return object{"type": "string"}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Float64:
		return object{"type": "number"}
	case reflect.Struct:
		if _, known := s.defs[t.Name()]; !known {
			s.defs[t.Name()] = nil
			s.defs[t.Name()] = s.structure(t)
		}
		return object{"$ref": "#/$defs/" + t.Name()}
	}
	if !slices.Contains([]reflect.Kind{reflect.Int, reflect.Int32, reflect.Uint64}, t.Kind()) {
		panic("no schema for " + t.String())
	}
	return object{"type": "integer"}
}

// structure is the schema of a struct: no members but its own, those without omitempty required.
func (s *schemas) structure(t reflect.Type) object {
	members, required := object{}, []string{}
	s.add(t, members, &required)
	return object{"type": "object", "properties": members, "required": required, "additionalProperties": false}
}

func (s *schemas) add(t reflect.Type, members object, required *[]string) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			inner := f.Type
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			s.add(inner, members, required)
			continue
		case name == "-" || name == "":
			continue
		}
		one := s.of(f.Type)
		if doc := s.docs[t.Name()+"."+f.Name]; doc != "" {
			one["description"] = doc
		}
		if members[name] = one; options == "" {
			*required = append(*required, name)
		}
	}
}

// fieldDocs reads the comments of fields.
func fieldDocs(t *testing.T, patterns ...string) map[string]string {
	t.Helper()
	docs := map[string]string{}
	for _, pattern := range patterns {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(tree, func(n ast.Node) bool {
				spec, ok := n.(*ast.TypeSpec)
				if !ok {
					return true
				}
				if body, ok := spec.Type.(*ast.StructType); ok {
					for _, f := range body.Fields.List {
						text := strings.Join(strings.Fields(f.Doc.Text()+" "+f.Comment.Text()), " ")
						for _, name := range f.Names {
							docs[spec.Name.Name+"."+name.Name] = text
						}
					}
				}
				return true
			})
		}
	}
	return docs
}

// makeSchema describes what --json prints.
func makeSchema(t *testing.T) []byte {
	t.Helper()
	s := &schemas{fieldDocs(t, "*.go", "../../runtime/estimate/*.go"), handwritten()}
	var kinds []object
	for _, k := range []struct {
		kind string
		typ  reflect.Type
	}{
		{"likelihood", reflect.TypeFor[printedFit]()}, {"comparison", reflect.TypeFor[printedComparison]()},
		{"posterior", reflect.TypeFor[printedPosterior]()}, {"ladder", reflect.TypeFor[printedLadder]()},
		{"scores", reflect.TypeFor[printedScores]()}, {"assignment", reflect.TypeFor[printedAssignment]()},
		{"predictions", reflect.TypeFor[printedPredictions]()}, {"versus", reflect.TypeFor[printedVersus]()},
		{"ranking", reflect.TypeFor[printedRanking]()},
	} {
		ref := s.of(k.typ)
		members := s.defs[k.typ.Name()].(object)["properties"].(object)
		members["kind"].(object)["const"] = k.kind
		members["version"].(object)["const"] = schemaVersion
		kinds = append(kinds, ref)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	err := e.Encode(object{"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "What sngdgen prints with --json",
		"description": "Numbers that are not known or not finite are null.", "oneOf": kinds, "$defs": s.defs})
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestSchema: the schema in docs is that of the types, and of all versions the present one.
func TestSchema(t *testing.T) {
	want := makeSchema(t)
	if *update {
		if err := os.WriteFile(schemaFile, want, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what the types say: go test ./cmd/sngdgen -run TestSchema -update writes it; if a member has another meaning or "+
			"type, or goes away, schemaVersion grows", schemaFile)
	}
}

// TestSchemaOfOutputs: what the command prints is what the schema says.
func TestSchemaOfOutputs(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	numbers := file("x.csv", "x\n0.1\n0.4\n-0.3\n0.25\n-0.12\n0.05\n5.1\n5.4\n4.7\n4.9\n5.2\n5.05\n")
	counts := file("n.csv", "n\n1\n1\n1\n1\n2\n")
	pairs := file("p.csv", "a,b\n1,2\n2,2.5\n0,1\n1.5,1\n-1,0\n0.3,0.1\n2.2,3\n")
	rows := file("r.csv", "X1,X2,y\n1,0.5,1\n1,-0.3,0\n1,1.2,1\n1,0.1,0\n1,-1.1,1\n")
	fits := map[string][]string{"normal.json": {"normal", numbers}, "t.json": {"studentt5", numbers}, "mix.json": {"normalmix", numbers, "--components=2"},
		"posterior.json": {"logistic", rows}}
	for name, args := range fits {
		var out, errs bytes.Buffer
		if code := run(append([]string{"fit", "--json"}, args...), nil, &out, &errs); code != exitOK {
			t.Fatalf("%v: %d, %s", args, code, errs.String())
		}
		fits[name] = []string{file(name, out.String())}
	}
	normal, heavy, mixture, posterior := fits["normal.json"][0], fits["t.json"][0], fits["mix.json"][0], fits["posterior.json"][0]
	for kind, commands := range map[string][][]string{
		"likelihood": {{"fit", "studentt5", numbers, "--starts=3"}, {"fit", "normalmix", numbers, "--components=2"}, {"fit", "mvnormal", pairs},
			{"fit", "negbin", counts}, {"fit", "skewnormal", pairs, "--penalty"}, {"fit", "studentt", numbers, "--method=adam", "--steps=50"},
			{"fit", "normal", numbers, "--max-iterations=1", "--method=sngd"}},
		"comparison": {{"fit", "normalmix", numbers, "--components=1..2"}},
		"posterior": {{"fit", "logistic", rows}, {"fit", "logistic", rows, "--method=saa", "--predict"},
			{"fit", "logistic", rows, "--method=sngd", "--steps=30", "--starts=2"}, {"fit", "logistic", rows, "--resample=50"},
			{"fit", "logistic", rows, "--method=ep"}},
		"ladder":      {{"fit", "logistic", rows, "--approximations=mean_field,normal"}},
		"scores":      {{"score", normal, numbers}, {"score", mixture, numbers}},
		"assignment":  {{"assign", mixture, numbers}},
		"predictions": {{"predict", normal}, {"predict", mixture, "--quantiles=0.1,0.9"}, {"predict", posterior, rows}},
		"versus":      {{"compare", normal, heavy}, {"compare", normal, mixture}},
		"ranking":     {{"rank", numbers, "normal"}},
	} {
		for _, args := range commands {
			var out, errs bytes.Buffer
			if code := run(append(args, "--json"), nil, &out, &errs); code == exitUsage || out.Len() == 0 {
				t.Errorf("%v: %d, %s", args, code, errs.String())
				continue
			}
			document, err := jsonschema.UnmarshalJSON(&out)
			if err != nil {
				t.Errorf("%v: %v", args, err)
				continue
			}
			if err := schema.Validate(document); err != nil {
				t.Errorf("%v: %v", args, err)
			}
			if got := document.(object)["kind"]; got != kind {
				t.Errorf("%v: kind %v, want %v", args, got, kind)
			}
		}
	}
	for _, bad := range []string{`{}`, `[]`, `{"version": 1, "kind": "ladder", "rungs": [], "knee": 0, "more": 1}`, `{"version": 2, "kind": "ladder", "rungs": [], "knee": 0}`} {
		document, err := jsonschema.UnmarshalJSON(strings.NewReader(bad))
		if err != nil || schema.Validate(document) == nil {
			t.Errorf("%s: %v", bad, err)
		}
	}
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(`{"version": 1, "kind": "ladder", "rungs": [], "knee": 0}`))
	if err != nil || schema.Validate(document) != nil {
		t.Error(err, schema.Validate(document))
	}
}
