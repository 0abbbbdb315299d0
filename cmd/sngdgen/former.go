package main

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/spec"
)

// mostFormer is how many bytes a former result has at most: that of a thousand latent variables, with three matrices.
const mostFormer = 1 << 29

// formerResult reads what an earlier fit of a problem printed as JSON; nil where none is named.
func formerResult(path string, p *spec.Problem) (*estimate.Point, error) {
	if path == "" {
		return nil, nil
	}
	text, err := readAtMost(path, mostFormer)
	if err != nil {
		return nil, fmt.Errorf("%s: cannot read the former result: %w", path, cause(err))
	}
	var point *estimate.Point
	if p.VI != nil {
		point, err = parseFormer(text)
	} else {
		point, err = parseFitted(text)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return point, nil
}

// parseFitted reads a fit of a likelihood.
func parseFitted(text []byte) (*estimate.Point, error) {
	var f estimate.Fitted
	switch err := json.Unmarshal(text, &f); {
	case err != nil || f.Problem == "":
		return nil, errNoFit
	case len(f.Parameters) == 0:
		return nil, errors.New("no parameters to start from")
	}
	return f.Point(), nil
}

func parseFormer(text []byte) (*estimate.Point, error) {
	var members struct {
		estimate.Point
		Coordinates []estimate.Number `json:"coordinates"`
		Parameters  json.RawMessage   `json:"parameters"`
	}
	switch err := json.Unmarshal(text, &members); {
	case err != nil || members.Problem == "":
		return nil, errors.New("not what fit prints with --json")
	case members.Coordinates == nil:
		return nil, errors.New("no coordinates to start from: only results of posteriors have them")
	}
	point := members.Point
	for _, z := range members.Coordinates {
		point.Coordinates = append(point.Coordinates, float64(z))
	}
	if isObject(members.Parameters) {
		var err error
		if point.Parameters, err = parameterFile(members.Parameters); err != nil {
			return nil, fmt.Errorf("parameters: %w", err)
		}
	}
	return &point, nil
}
