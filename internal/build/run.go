package build

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/sngdgen/sngdgen/internal/build/worker"
	"github.com/sngdgen/sngdgen/internal/disk"
	"github.com/sngdgen/sngdgen/runtime"
)

// patience is how long a program may take to answer after it was interrupted.
const patience = 2 * time.Second

// Run runs a compiled program on a job; the space, which may be nil, has the data. Anything that the program prints, such as a panic, goes to errw.
func Run(ctx context.Context, program string, job worker.Job, data runtime.Data, space *disk.Space, errw io.Writer) (*worker.Answer, error) {
	cmd := exec.CommandContext(ctx, program)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = patience
	cmd.Stderr = errw
	parcel := worker.Pack(job, data, space)
	cmd.ExtraFiles = parcel.Files
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("cannot run the compiled spec: %w", err)
	}
	sent := errors.Join(parcel.Send(in), in.Close())
	answer, received := worker.Receive(out)
	if err := cmd.Wait(); err != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("the compiled spec failed: %w", errors.Join(err, sent))
	}
	if received != nil {
		return nil, errors.Join(ctx.Err(), received, sent)
	}
	return answer, nil
}
