//go:build unix

package clock

import (
	"syscall"
	"time"
)

// Now is the time that the processor has spent on this program.
func Now() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // only for faulty arguments
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
