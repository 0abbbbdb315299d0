package main

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/sngdgen/sngdgen/internal/studio/server"
)

type studioCmd struct {
	Port int `min:"0" max:"65535" default:"8642" placeholder:"N" help:"Port of 127.0.0.1 (${default}); 0 is any that is free."`
}

// Run serves the page until it is interrupted.
func (c *studioCmd) Run(s *session) error {
	l, err := server.Listen(c.Port)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("port %d of 127.0.0.1 is taken\nhint: is a studio running already? --port 0 takes any that is free", c.Port)
	}
	if err != nil {
		return err
	}
	defer l.Close()
	fmt.Fprintf(s.out, "http://%s/\n", l.Addr())
	fmt.Fprintln(s.err, "note: open this address in a browser; Ctrl-C ends the studio")
	return server.Serve(s, l)
}
