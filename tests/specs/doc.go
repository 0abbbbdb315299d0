// Package specs carries whole specs through everything: they are generated, compiled in one go and run, and what they say is
// compared with the interpreter on what was derived and on what the spec says before any rule has touched it. Then the tests
// that are emitted next to every package run.
//
// Specs are those in testdata, the smallest cases of faults that were found, and random ones, by package specgen. A spec that
// fails is printed whole, with its seed, after it has been made as small as it gets. `go test` draws a few; before a release,
// and after a change of the generator, draw many:
//
//	go test ./tests/specs -specs 300 -seed 1000 -timeout 1h
//	go test ./tests/specs -run TestTaken -rounds 20
//
// A fault that is found this way goes to testdata as soon as it is understood, with a comment that says what it was. The
// fuzzer looks for specs that cannot be generated, or whose derivation panics, without compiling them:
//
//	go test ./tests/specs -fuzz FuzzSpec
package specs
