package clock

import (
	"syscall"
	"time"
	"unsafe"
)

// gettime is the time of a clock of clock_gettime(2). It is exact, where getrusage(2) knows of threads other than the calling one only what
// they had used when the scheduler last looked, which may be a second ago.
func gettime(clock uintptr) time.Duration {
	var t syscall.Timespec
	if _, _, fault := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clock, uintptr(unsafe.Pointer(&t)), 0); fault != 0 {
		panic(fault) // only for faulty arguments
	}
	return time.Duration(t.Nano())
}
