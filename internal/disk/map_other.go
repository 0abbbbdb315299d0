//go:build !unix

package disk

import (
	"errors"
	"io"
	"os"
)

// Supported says whether files can be mapped on this system.
const Supported = false

var errUnsupported = errors.New("data larger than the memory need files that are mapped to it, which sngdgen knows on Linux and macOS only")

func mapFile(*os.File, int64, int, bool) ([]byte, error) { return nil, errUnsupported }

func unmap([]byte) {}

func (s *Space) watch(resting chan struct{}) { s.watched.Done() }

func reserve(*os.File, int64) error { return errUnsupported }

// readNumbers reads numbers into memory, in place of mapping them.
func readNumbers(f *os.File, offset int64, n int) ([]float64, error) {
	defer f.Close()
	x := make([]float64, n)
	_, err := io.ReadFull(io.NewSectionReader(f, offset, int64(n)*NumberSize), bytesOf(x))
	return x, err
}
