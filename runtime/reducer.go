package runtime

// Reducer is processes that have a part of the rows each, in the order of their ranks: process 0 has the first. All of them do the same, and
// where something depends on all rows they sum it up with each other, so that all go on with the same bits.
//
// Package support of the runtime lets a number be other than 0 in one process alone, so that sums do not depend on the order in which they
// are made: any MPI_Allreduce will do, or a tree over sockets.
type Reducer interface {
	// Rank is the number of this process, from 0 to Size()-1.
	Rank() int
	Size() int
	// Sum replaces each number by the sum of those of all processes. All call it equally often, with as many numbers. An error ends the
	// fit in this process, and whoever implements this has to see to it that the others have one too.
	Sum(x []float64) error
}

// Distributed is implemented by models of data of which other processes have other rows (Data.Others). What such a model computes of the
// data as a whole, all processes have to ask it for, in the same order: a process by itself waits for the others without end.
type Distributed interface {
	// Others are the processes that have the rows, nil where the model has all of them.
	Others() Reducer
}
