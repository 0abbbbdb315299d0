package worker

import (
	"context"
	"encoding/gob"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/sngdgen/sngdgen/runtime"
)

// Main is the program around problems: a job comes in, an answer goes out. It returns the exit code, which is 0
// whenever there is an answer, be it an error.
func Main(models []func() runtime.Model, in io.Reader, out, errw io.Writer) int {
	job, data, free, err := unpack(in)
	if err != nil {
		fmt.Fprintln(errw, "worker: no job:", err)
		return 1
	}
	defer free()
	ctx := context.Background()
	if job.Sample == nil { // which does not listen: without a handler the signal ends the process
		var stop context.CancelFunc
		ctx, stop = signal.NotifyContext(ctx, os.Interrupt)
		defer stop()
	}
	if err := gob.NewEncoder(out).Encode(Do(ctx, made(models), job, data)); err != nil {
		fmt.Fprintln(errw, "worker: no way to answer:", err)
		return 1
	}
	return 0
}

func made(models []func() runtime.Model) []runtime.Model {
	var out []runtime.Model
	for _, model := range models {
		out = append(out, model())
	}
	return out
}
