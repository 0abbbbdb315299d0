package main

import (
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
