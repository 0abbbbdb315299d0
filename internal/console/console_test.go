package console

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"testing"
)

// The exit code says how a program ended, and standard error why.
func TestExitCodes(t *testing.T) {
	for _, test := range []struct {
		name string
		err  error
		code int
		said string
	}{
		{"the end", nil, 0, ""},
		{"help", flag.ErrHelp, 0, ""},
		{"an error", errors.New("no such file"), 1, "no such file\n"},
		{"Ctrl-C", fmt.Errorf("fitting: %w", context.Canceled), 130, "interrupted\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out, progress strings.Builder
			code := run(t.Context(), func(_ context.Context, args []string, out, _ io.Writer) error {
				fmt.Fprint(out, args[0])
				return test.err
			}, []string{"table"}, &out, &progress)
			if code != test.code || progress.String() != test.said || out.String() != "table" {
				t.Errorf("code %d, said %q, wrote %q", code, progress.String(), out.String())
			}
		})
	}
}
