package disk

import (
	"bytes"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// watchEvery is how often the memory of a space is looked at: a pass over rows reads some tens of megabytes in that time.
const watchEvery = 5 * time.Millisecond

// watch gives memory of files back to the system when more of the process than the limit is resident. It stays in the system's cache of files for as
// long as nobody else needs it, so that what is read again costs little.
func (s *Space) watch(resting chan struct{}) {
	defer s.watched.Done()
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		select {
		case <-resting:
			return
		case <-tick.C:
		}
		if residentBytes() > s.resident {
			s.lock.Lock()
			for _, r := range s.regions {
				if r.memory != nil {
					_ = unix.Madvise(r.memory, unix.MADV_DONTNEED) // of files: it is read again when it is needed
				}
			}
			s.lock.Unlock()
		}
	}
}

// residentBytes is how many bytes of the process are resident, 0 where the system does not say.
func residentBytes() int64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	fields := bytes.Fields(text)
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(string(fields[1]), 10, 64) // size, resident
	return pages * int64(os.Getpagesize())
}

// reserve makes a file so long, so that there is room for all of it: a full disk would end the process later.
func reserve(f *os.File, size int64) error {
	if size == 0 || unix.Fallocate(int(f.Fd()), 0, 0, size) == nil {
		return nil
	}
	return fill(f, size) // where the file system does not know it, or is full, which that says
}
