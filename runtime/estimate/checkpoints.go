package estimate

import (
	"slices"

	"github.com/sngdgen/sngdgen/runtime"
)

// checkpoints are points of a run, each after half as many steps again as the one before.
type checkpoints struct {
	z           [][]float64
	first, next int // steps of the first one and of the next one
}

// Steps of the first checkpoint, of stochastic steps and of those with a line search.
const (
	checkpointEvery = 100
	firstCheckpoint = 4
)

// Record implements runtime.Recorder.
func (c *checkpoints) Record(it *runtime.Iteration) error {
	if it.Index >= max(c.next, c.first) {
		c.next = it.Index + it.Index/2
		c.z = append(c.z, slices.Clone(it.Z))
	}
	return nil
}
