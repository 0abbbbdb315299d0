//go:build unix

package main

import (
	"syscall"
	"time"
)

// now is the time that the processor has spent on this program: other work on the machine does not count.
func now() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // only for faulty arguments
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
