package main

/*
#cgo pkg-config: ompi
#include <mpi.h>
#include <time.h>

// Macros of mpi.h are no values that Go can see.
static int start(int *threads) { return MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, threads); }
static int rank(int *n) { return MPI_Comm_rank(MPI_COMM_WORLD, n); }
static int size(int *n) { return MPI_Comm_size(MPI_COMM_WORLD, n); }
// MPI waits by asking all the time. After some of that it is asked at times, so that a process that has to wait long leaves its processor to others.
static int sum(double *x, int n) {
	const int busy = 10000;
	MPI_Request r;
	int done = 0;
	int err = MPI_Iallreduce(MPI_IN_PLACE, x, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &r);
	for (int asked = 0; err == MPI_SUCCESS && !done; asked++) {
		err = MPI_Test(&r, &done, MPI_STATUS_IGNORE);
		if (!done && asked >= busy) {
			struct timespec pause = {0, asked < 2*busy ? 20000 : 200000}; // nanoseconds
			nanosleep(&pause, NULL);
		}
	}
	return err;
}
static int together(void) { return MPI_Barrier(MPI_COMM_WORLD); }
static void end_all(int code) { MPI_Abort(MPI_COMM_WORLD, code); }
static int neighbours(int *n) {
	MPI_Comm node;
	int err = MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
	if (err == MPI_SUCCESS) err = MPI_Comm_size(node, n);
	if (err == MPI_SUCCESS) err = MPI_Comm_free(&node);
	return err;
}
*/
import "C"

import (
	"fmt"
	"unsafe"
)

// world is all processes of mpirun. One thread makes all calls.
type world struct {
	rank, size int
	neighbours int // how many of them share a machine with this one, itself among them
}

// started joins them.
func started() (w world, err error) {
	var threads, n C.int
	if err = checked("MPI_Init", C.start(&threads)); err != nil {
		return w, err
	}
	for _, ask := range []struct {
		name string
		code func() C.int
		to   *int
	}{
		{"MPI_Comm_rank", func() C.int { return C.rank(&n) }, &w.rank},
		{"MPI_Comm_size", func() C.int { return C.size(&n) }, &w.size},
		{"MPI_Comm_split_type", func() C.int { return C.neighbours(&n) }, &w.neighbours},
	} {
		if err := checked(ask.name, ask.code()); err != nil {
			return w, err
		}
		*ask.to = int(n)
	}
	return w, nil
}

// mostAtOnce is how many numbers one call sums up: a count of MPI is an int.
const mostAtOnce = 1 << 24

// sum replaces numbers by their sums over all processes.
func (w world) sum(x []float64) error {
	for {
		n := min(len(x), mostAtOnce)
		var first *C.double
		if n > 0 {
			first = (*C.double)(unsafe.Pointer(&x[0]))
		}
		if err := checked("MPI_Iallreduce", C.sum(first, C.int(n))); err != nil {
			return err
		}
		if x = x[n:]; len(x) == 0 {
			return nil
		}
	}
}

// end leaves the others, when all have come to the end.
func (w world) end() error {
	if err := checked("MPI_Barrier", C.together()); err != nil {
		return err
	}
	return checked("MPI_Finalize", C.MPI_Finalize())
}

// abort ends all processes, this one among them.
func (w world) abort(code int) { C.end_all(C.int(code)) }

func checked(call string, code C.int) error {
	if code != C.MPI_SUCCESS {
		return fmt.Errorf("%s failed with code %d", call, int(code))
	}
	return nil
}
