// Package clock tells the time that experiments take, of the processor where that can be known: other work on the machine
// does not count.
package clock
