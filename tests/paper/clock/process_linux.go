package clock

import "time"

// processTime is CLOCK_PROCESS_CPUTIME_ID of clock_gettime(2).
const processTime = 2

// Now is the time that the processor has spent on this program.
func Now() time.Duration { return gettime(processTime) }
