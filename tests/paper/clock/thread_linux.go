package clock

import (
	"syscall"
	"time"
	"unsafe"
)

// PerThread says that Thread tells the times of threads apart.
const PerThread = true

// threadTime is CLOCK_THREAD_CPUTIME_ID of clock_gettime(2). It is exact, where getrusage counts in units of the scheduler.
const threadTime = 3

// Thread is the time that the processor has spent on the calling thread, to which the goroutine has to be locked.
func Thread() time.Duration {
	var t syscall.Timespec
	if _, _, fault := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, threadTime, uintptr(unsafe.Pointer(&t)), 0); fault != 0 {
		panic(fault) // only for faulty arguments
	}
	return time.Duration(t.Nano())
}
