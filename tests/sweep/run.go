package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// ran is how a command ended, as it is stored.
type ran struct {
	Exit      int     `json:"exit"` // -1 where a signal ended it
	TimedOut  bool    `json:"timed_out"`
	Seconds   float64 `json:"seconds"`
	Processor float64 `json:"processor"` // seconds of it
	Out       string  `json:"out"`
	Faults    string  `json:"faults"` // of the standard error
}

// sweep is the jobs and what was said of them.
type sweep struct {
	*options
	jobs    []*job
	said    map[string]*ran // by the command to judge
	before  map[string]*ran // by the other version
	refined map[string]*refined
	version string // of the command to judge
}

// run fits what has no result yet.
func (s *sweep) run(ctx context.Context) (err error) {
	folder, err := s.folder(s.now)
	if err != nil {
		return err
	}
	if s.said, err = s.fitAll(ctx, s.now, folder); err != nil {
		return err
	}
	if s.version, err = version(ctx, s.now); err != nil {
		return err
	}
	if s.base != "" {
		baseFolder, err := s.folder(s.base)
		if err != nil {
			return err
		}
		if s.before, err = s.fitAll(ctx, s.base, baseFolder); err != nil {
			return err
		}
	}
	if s.python != "" {
		s.refined, err = s.refineAll(ctx, folder)
	}
	return err
}

// folder of the results of a binary, by its hash: another build has others.
func (s *sweep) folder(binary string) (string, error) {
	text, err := os.ReadFile(binary)
	if err != nil {
		return "", err
	}
	hash := sha256.Sum256(text)
	folder := filepath.Join(s.results, hex.EncodeToString(hash[:])[:12])
	return folder, os.MkdirAll(folder, 0o755)
}

func version(ctx context.Context, binary string) (string, error) {
	out, err := exec.CommandContext(ctx, binary, "version").Output()
	return strings.TrimSpace(string(out)), err
}

// fitAll runs the jobs in turn, but those with a result.
func (s *sweep) fitAll(ctx context.Context, binary, folder string) (map[string]*ran, error) {
	all := map[string]*ran{}
	for i, j := range s.jobs {
		path := filepath.Join(folder, j.Key()+".json")
		r := new(ran)
		if text, err := os.ReadFile(path); err == nil && json.Unmarshal(text, r) == nil {
			all[j.Key()] = r
			continue
		}
		r, err := fit(ctx, binary, j.arguments(j.file.Path), s.limit)
		if err != nil {
			return nil, err
		}
		if err := save(path, r); err != nil {
			return nil, err
		}
		all[j.Key()] = r
		if i%50 == 0 || r.Seconds > 5 {
			fmt.Fprintf(s.progress, "%d of %d: %s, %.1f s\n", i, len(s.jobs), j.Key(), r.Seconds)
		}
	}
	return all, nil
}

// save writes a result as a whole: an interrupted program leaves none that is cut off.
func save(path string, r *ran) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path+".part", text, 0o644); err != nil {
		return err
	}
	return os.Rename(path+".part", path)
}

// fit runs one fit with one worker.
func fit(ctx context.Context, binary string, arguments []string, limit time.Duration) (*ran, error) {
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	c := exec.CommandContext(limited, binary, append(arguments, "--json", "--quiet", "--workers=1")...)
	var out, faults bytes.Buffer
	c.Stdout, c.Stderr = &out, &faults
	begin := time.Now()
	err := c.Run()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if c.ProcessState == nil {
		return nil, err
	}
	return &ran{
		Exit: c.ProcessState.ExitCode(), TimedOut: limited.Err() != nil, Seconds: time.Since(begin).Seconds(),
		Processor: (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds(),
		Out:       out.String(), Faults: faults.String(),
	}, nil
}

// refined is what SciPy found of a fit to one column (see refine.py). Gains are in total log-likelihood, above SciPy's own at the
// parameters of the report.
type refined struct {
	Key    string  `json:"key"`
	There  float64 `json:"there"` // SciPy's log-likelihood at the parameters of the report
	Near   float64 `json:"near"`  // gain from these
	Far    float64 `json:"far"`   // gain from these with shapes moved outward
	NearAt string  `json:"near_at"`
	FarAt  string  `json:"far_at"`
	Fault  string  `json:"fault"`

	Unknown bool `json:"unknown"` // the family has no density there

	Elsewhere   *float64 `json:"elsewhere"` // the highest log-likelihood from starts of its own
	ElsewhereAt string   `json:"elsewhere_at"`
}

// refineAll asks SciPy to go on where fits ended, and keeps its answers.
func (s *sweep) refineAll(ctx context.Context, folder string) (map[string]*refined, error) {
	path := filepath.Join(folder, "refined.jsonl")
	known, err := readRefined(path)
	if err != nil {
		return nil, err
	}
	questions, err := s.questions(known)
	if err != nil || len(questions) == 0 {
		return known, err
	}
	fmt.Fprintf(s.progress, "SciPy: %d fits\n", len(questions))
	script := filepath.Join(folder, "refine.py")
	if err := os.WriteFile(script, refinePython, 0o644); err != nil {
		return nil, err
	}
	answers, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	defer answers.Close()
	c := exec.CommandContext(ctx, s.python, script)
	c.Env = append(os.Environ(), "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1")
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader(strings.Join(questions, "\n")+"\n"), answers, s.progress
	if err := errors.Join(c.Run(), ctx.Err()); err != nil {
		return nil, err
	}
	return readRefined(path)
}

// questions are the fits to one column that SciPy may have densities for, and no answer yet: those with a maximum, or with a supremum.
func (s *sweep) questions(known map[string]*refined) (questions []string, err error) {
	for _, j := range s.jobs {
		r, fault := decode(s.said[j.Key()])
		if j.file.Columns != 1 || j.Components > 0 || fault != "" || !r.Converged && r.Status != atInfinity || known[j.Key()] != nil {
			continue
		}
		text, err := json.Marshal(map[string]any{"key": j.Key(), "family": j.Family, "file": j.file.Path, "parameters": r.Parameters, "converged": r.Converged})
		if err != nil {
			return nil, err
		}
		questions = append(questions, string(text))
	}
	return questions, nil
}

// readRefined reads answers; the last line may be cut off where SciPy was interrupted.
func readRefined(path string) (map[string]*refined, error) {
	all := map[string]*refined{}
	in, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if err != nil {
		return nil, err
	}
	defer in.Close()
	for lines := bufio.NewScanner(in); lines.Scan(); {
		r := new(refined)
		if json.Unmarshal(lines.Bytes(), r) == nil {
			all[r.Key] = r
		}
	}
	return all, nil
}
