package spec

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/runtime/types"
)

// object of JSON.
type schemaObject = map[string]any

// schemaDocuments are the kinds of documents, by their tables of keys.
func schemaDocuments() []struct {
	title              string
	required, optional []string
} {
	return []struct {
		title              string
		required, optional []string
	}{
		{"a problem", problemKeys, problemOptions},
		{"a problem with an approximation of a posterior", approximatedKeys, approximatedOptions},
		{"a problem that a formula stands for", regressionKeys, regressionOptions},
		{"a distribution", distributionKeys, distributionOptions},
		{"a family", familyKeys, familyOptions},
		{"a function", functionKeys, functionOptions},
		{"an approximation", approximationKeys, approximationOptions},
		{"an import", []string{"import"}, nil},
	}
}

// schemaDefinitions are what values refer to.
func schemaDefinitions() schemaObject {
	ref, formulas := schemaRef, schemaRef("formulas")
	var typeNames []string
	for _, e := range types.Entries {
		typeNames = append(typeNames, e.Name)
	}
	for _, f := range types.Forms {
		typeNames = append(typeNames, f.Name)
	}
	named := func(of schemaObject) schemaObject {
		return schemaObject{"type": "object", "propertyNames": schemaObject{"pattern": "^[A-Za-z_]"}, "additionalProperties": of}
	}
	vi := keysSchema(viKeys, viOptions)
	vi["additionalProperties"] = true // ep has settings of its own, which check knows
	return schemaObject{
		"formula":  schemaObject{"type": []string{"string", "number", "boolean"}, "description": "A formula, as docs/language.md describes them."},
		"type":     schemaObject{"type": "string", "description": "A type: " + strings.Join(typeNames, ", ") + ", with lengths in parentheses as in vector(d)."},
		"formulas": named(schemaObject{"anyOf": []schemaObject{ref("formula"), formulas}}),
		"noise":    named(schemaObject{"type": "string"}),
		"names":    named(ref("type")),
		"draws": schemaObject{"type": "object", "properties": schemaObject{"noise": ref("noise"), "groups": schemaObject{"type": "string"}},
			"additionalProperties": schemaObject{"anyOf": []schemaObject{ref("formula"), formulas}}},
		"auxiliary": named(schemaObject{"anyOf": []schemaObject{ref("type"), keysSchema([]string{"type"}, []string{"metric"})}}),
		"reference": schemaObject{"anyOf": []schemaObject{{"type": "string"}, mixtureSchema(), keysSchema(distributionKeys, distributionOptions),
			keysSchema(familyKeys, familyOptions)}},
		"renamed": schemaObject{"type": "object", "minProperties": 1, "maxProperties": 1, "additionalProperties": named(schemaObject{"type": "string"})},
		"limit":   keysSchema(limitKeys, limitOptions),
		"state": schemaObject{"type": "object", "required": stateKeys, "additionalProperties": false,
			"properties": schemaObject{"type": ref("type"), "start": ref("formula"), "next": ref("formula")}},
		"vi": vi,
	}
}

// mixtureSchema is that of a mixture, whose distribution may be defined in place.
func mixtureSchema() schemaObject {
	return schemaObject{"type": "object", "required": mixtureKeys, "additionalProperties": false,
		"properties": schemaObject{"mixture": schemaRef("reference"), "components": schemaObject{"type": []string{"string", "integer"}}}}
}

func schemaRef(name string) schemaObject { return schemaObject{"$ref": "#/$defs/" + name} }

// schemaValues are the schemas of values by their keys.
func schemaValues() map[string]schemaObject {
	ref := schemaRef
	list := func(of schemaObject) schemaObject { return schemaObject{"type": "array", "items": of} }
	either := func(of ...schemaObject) schemaObject { return schemaObject{"anyOf": of} }
	text := schemaObject{"type": "string"}
	formula, formulas := ref("formula"), ref("formulas")
	out := map[string]schemaObject{
		"package": {"type": "string", "pattern": "^[a-z][a-z0-9]*$", "description": "The name of the generated package."},
		"target":  ref("reference"), "surrogate": either(ref("reference"), list(either(text, ref("renamed")))),
		"step":       {"enum": []string{string(StepMean), string(StepNatural)}, "description": "The coordinates that are stepped."},
		"dimensions": {"type": "object", "additionalProperties": schemaObject{"type": "integer", "minimum": 1, "maximum": maxSize}},
		"auxiliary":  ref("auxiliary"), "start": either(ref("draws"), list(ref("draws"))), "random_start": ref("draws"), "sample": ref("draws"),
		"objective": either(schemaObject{"enum": []string{string(ObjectiveMLE)}},
			schemaObject{"type": "object", "minProperties": 1, "maxProperties": 1, "additionalProperties": ref("vi")}),
		"import": either(text, list(text)), "variable": ref("names"), "given": ref("names"),
		"where": list(formula), "support": list(formula), "shared": list(text), "report": formulas, "statistics": list(formula), "natural": list(formula),
		"limits": list(ref("limit")), "contains": {"type": "object"}, "constants": {"type": "object"},
		"expectations": list(formulas), "approximation": text, "data": ref("names"), "draws": {"type": "integer", "minimum": 1},
		"antithetic": {"type": "boolean"}, "estimator": text, "latent": either(text, ref("names")), "type": ref("type"), "domain": ref("names"), "range": ref("type"), "value": formula,
		"when": formulas, "path": formulas, "from": formulas, "series": text, "next": formula,
		"state": {"type": "object", "propertyNames": schemaObject{"pattern": "^[A-Za-z_]"}, "additionalProperties": ref("state"),
			"description": "What is carried along the rows."},
	}
	out["formula"] = schemaObject{"type": "string", "description": "Linear predictors of columns: y ~ age + sex; sigma ~ age."}
	out["derivative"] = either(formula, formulas)
	for _, key := range []string{"doc", "family", "distribution", "function", "name", "go"} {
		out[key] = text
	}
	for _, key := range []string{"map", "let", "at_start", "from_natural", "from_mean", "newton_start"} {
		out[key] = formulas
	}
	out["parameters"] = ref("names")
	for _, key := range slices.Concat(viTerms, []string{"logpdf", "log_partition", "log_base_measure", "mean", "variance", "covariance", "entropy",
		"penalty", "metric"}) {
		out[key] = formula
	}
	return out
}

// keysSchema is that of a mapping with these keys.
func keysSchema(required, optional []string) schemaObject {
	values, properties := schemaValues(), schemaObject{}
	for _, key := range slices.Concat(required, optional) {
		properties[key] = values[key]
	}
	return schemaObject{"type": "object", "required": required, "properties": properties, "additionalProperties": false}
}

// Schema returns the JSON Schema of a document of a spec, made of the tables of keys by which specs are read. It knows which keys there are
// and what kind of value each has; what formulas say it does not.
func Schema() ([]byte, error) {
	var kinds []schemaObject
	for _, d := range schemaDocuments() {
		kind := keysSchema(d.required, d.optional)
		kind["title"] = d.title
		kind["properties"].(schemaObject)["version"] = schemaObject{"const": Version, "description": "The version of the language of specs, in the first document of a file."}
		kinds = append(kinds, kind)
	}
	schema := schemaObject{"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "A document of a sngdgen spec",
		"anyOf": kinds, "$defs": maps.Clone(schemaDefinitions())}
	text, err := json.MarshalIndent(schema, "", "  ")
	return append(text, '\n'), err
}
