//go:build !unix

package main

import "time"

var epoch = time.Now()

// now is the time of the clock on the wall, where that of the processor is not known in the same way.
func now() time.Duration { return time.Since(epoch) }
