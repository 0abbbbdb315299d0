package vector

import "golang.org/x/sys/cpu"

// detect asks the processor, and whether the operating system keeps the registers, for all extensions that internal/vectorgen
// may use.
func detect() Level {
	x := &cpu.X86
	switch {
	case !(x.HasAVX && x.HasAVX2 && x.HasFMA && x.HasBMI2):
		return Go
	case x.HasAVX512F && x.HasAVX512DQ && x.HasAVX512VL && x.HasAVX512BW:
		return AVX512
	}
	return AVX2
}
