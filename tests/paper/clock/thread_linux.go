package clock

import "time"

// PerThread says that Thread tells the times of threads apart.
const PerThread = true

// threadTime is CLOCK_THREAD_CPUTIME_ID of clock_gettime(2).
const threadTime = 3

// Thread is the time that the processor has spent on the calling thread, to which the goroutine has to be locked.
func Thread() time.Duration { return gettime(threadTime) }
