package worker

import (
	"encoding/gob"
	"fmt"
	"io"

	"github.com/sngdgen/sngdgen/runtime"
)

// message is a job on the wire. Gob keeps every bit of a number, those that are not finite among them, and the two ends
// of the wire are always of one version.
type message struct {
	Job  Job
	Data runtime.Data
}

// Send writes a job and its data.
func Send(w io.Writer, job Job, data runtime.Data) error {
	return gob.NewEncoder(w).Encode(message{job, data})
}

// Receive reads the answer to a job.
func Receive(r io.Reader) (*Answer, error) {
	a := new(Answer)
	if err := gob.NewDecoder(r).Decode(a); err != nil {
		return nil, fmt.Errorf("worker: no answer: %w", err)
	}
	return a, nil
}
