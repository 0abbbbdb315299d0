package main

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
)

type versionCmd struct{}

// Run prints the version of the module, of Go, and the platform.
func (*versionCmd) Run(s *session) error {
	_, err := fmt.Fprintln(s.out, fullVersion())
	return err
}

// versionFlag asks for the version in the place of all else.
type versionFlag bool

// errVersion is the panic that ends a parser then.
var errVersion = errors.New("version")

// BeforeReset is called before anything else is looked at.
func (versionFlag) BeforeReset() error { panic(errVersion) }

func fullVersion() string {
	return fmt.Sprintf("sngdgen %s (%s, %s/%s)", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// version returns the version that the go command recorded, with the commit where it knows one.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
