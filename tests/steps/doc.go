// Package steps measures one step of SNGD on minibatches against the calls of BLAS and LAPACK that it cannot do without,
// and against the same step generated without the rules of the rewriter:
//
//	go test -run '^$' -bench . ./tests/steps
//
// Everything runs on one processor, interleaved, so that the ratios hold whatever else the machine does.
package steps

//go:generate go run ./generate
