package main

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// mostFormer is how many bytes a former result has at most: that of a thousand latent variables, with three matrices.
const mostFormer = 1 << 29

// formerResult reads what an earlier fit of a posterior printed as JSON; nil where none is named.
func formerResult(path string) (*estimate.Point, error) {
	if path == "" {
		return nil, nil
	}
	text, err := readAtMost(path, mostFormer)
	if err != nil {
		return nil, fmt.Errorf("%s: cannot read the former result: %w", path, cause(err))
	}
	point, err := parseFormer(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return point, nil
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
