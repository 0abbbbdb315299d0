package main

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// How long a command may go on after Ctrl-C or SIGTERM.
const (
	// hurry is for a command that does not listen: it may be waiting for a pipe that nobody writes to, or be in the middle of
	// a derivation. It has nothing to say that is worth waiting for.
	hurry = 200 * time.Millisecond
	// patience is for one that does: a fit prints what it has found so far.
	patience = 5 * time.Second
)

// interruption is what a command is told of Ctrl-C and SIGTERM, and what it must clean up then.
type interruption struct {
	listening atomic.Bool // the command ends by itself when its context is done

	mu          sync.Mutex
	temporaries map[string]func() // what removes a temporary file, by the name of the file
}

// listen notes that what follows ends by itself when the context is done. The function it returns takes that back.
func (i *interruption) listen() (done func()) {
	i.listening.Store(true)
	return func() { i.listening.Store(false) }
}

// temporary notes a file that must not be left behind. The function it returns says that it is gone, or in its place.
func (i *interruption) temporary(name string, remove func()) (done func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.temporaries == nil {
		i.temporaries = map[string]func(){}
	}
	i.temporaries[name] = remove
	return func() {
		i.mu.Lock()
		defer i.mu.Unlock()
		delete(i.temporaries, name)
	}
}

// abandon removes the temporary files of a command that is left to itself. It keeps the lock, so that the command makes no
// new ones in the moment before the process ends.
func (i *interruption) abandon() {
	i.mu.Lock()
	for _, remove := range i.temporaries {
		remove()
	}
}

// supervise runs a command until it ends, or until it has been told to end and does not: nothing that a command waits for,
// be it a file that never opens, can keep the process alive. A second signal ends the process at once.
func supervise(s *session, command func(*session) error) error {
	ctx, stop := signal.NotifyContext(s.Context, os.Interrupt, syscall.SIGTERM)
	defer stop()
	s.Context = ctx
	ended := make(chan error, 1)
	go func() { ended <- command(s) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		stop()
	}
	wait := hurry
	if s.listening.Load() {
		wait = patience
	}
	select {
	case err := <-ended:
		return interrupted{err}
	case <-time.After(wait):
		s.abandon()
		return interrupted{context.Canceled}
	}
}

// interrupted is how a command ended that was told to.
type interrupted struct{ error }

func (i interrupted) Unwrap() error { return i.error }
