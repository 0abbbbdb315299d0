//go:build !linux

package clock

import "time"

// PerThread says that Thread tells the times of threads apart.
const PerThread = false

// Thread is Now: where threads have no times of their own, only one may run.
func Thread() time.Duration { return Now() }
