package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Config holds the value of every setting.
type Config struct {
	State    string // folder for state and caches; "" if the user has no home
	Data     string // folder of traces that the product does not carry; "" if there is none
	Output   string // "table", "json" or "yaml"
	Policy   string // name in the registry of policies
	Parallel int    // runs at a time

	SlurmREST      string // address of a slurmrestd; "": Slurm's commands are run
	SlurmUser      string // that its token is for
	SlurmTokenFile string // with the token; "": $SLURM_JWT
}

// Outputs lists the output formats.
var Outputs = []string{"table", "json", "yaml"}

// MaxParallel bounds the runs at a time.
const MaxParallel = 1024

// StateFolder returns the folder for state and caches.
func (c *Config) StateFolder() (string, error) {
	if c.State == "" {
		return "", errors.New("there is no place for state, because the user has no home folder: set SCHEDMATE_STATE or --state to a folder")
	}
	return c.State, nil
}

// setting is one setting: its name in the file, and with that its flag and its
// environment variable.
type setting struct {
	name    string
	folder  bool // a path, which must be absolute in a file
	check   func(text string) error
	set     func(c *Config, text string)
	inFile  func(d *document) string
	builtIn func(s *Sources) (string, error)
}

func (s *setting) variable() string { return "SCHEDMATE_" + strings.ToUpper(s.name) }

var settings = []setting{
	{
		name: "state", folder: true, check: notEmpty,
		set:     func(c *Config, text string) { c.State = text },
		inFile:  func(d *document) string { return d.State },
		builtIn: func(s *Sources) (string, error) { return s.userFolder("XDG_STATE_HOME", ".local/state") },
	}, {
		name: "data", folder: true, check: notEmpty,
		set:     func(c *Config, text string) { c.Data = text },
		inFile:  func(d *document) string { return d.Data },
		builtIn: func(*Sources) (string, error) { return "", nil },
	}, {
		name: "output", check: knownOutput,
		set:     func(c *Config, text string) { c.Output = text },
		inFile:  func(d *document) string { return d.Output },
		builtIn: func(*Sources) (string, error) { return Outputs[0], nil },
	}, {
		name: "policy", check: policyName,
		set:     func(c *Config, text string) { c.Policy = text },
		inFile:  func(d *document) string { return d.Policy },
		builtIn: func(*Sources) (string, error) { return "fifo", nil },
	}, {
		name: "parallel", check: parallelism,
		set:     func(c *Config, text string) { c.Parallel, _ = strconv.Atoi(text) },
		inFile:  func(d *document) string { return strconv.Itoa(d.Parallel) },
		builtIn: func(s *Sources) (string, error) { return strconv.Itoa(min(max(1, s.Processors), MaxParallel)), nil },
	}, {
		name: "slurm_rest", check: restAddress,
		set:     func(c *Config, text string) { c.SlurmREST = text },
		inFile:  func(d *document) string { return d.SlurmREST },
		builtIn: func(*Sources) (string, error) { return "", nil },
	}, {
		name: "slurm_user", check: notEmpty,
		set:     func(c *Config, text string) { c.SlurmUser = text },
		inFile:  func(d *document) string { return d.SlurmUser },
		builtIn: func(*Sources) (string, error) { return "", nil },
	}, {
		name: "slurm_token_file", folder: true, check: notEmpty,
		set:     func(c *Config, text string) { c.SlurmTokenFile = text },
		inFile:  func(d *document) string { return d.SlurmTokenFile },
		builtIn: func(*Sources) (string, error) { return "", nil },
	},
}

const restPattern = `^(https?://|unix:/)\S+$`

func restAddress(text string) error {
	if !regexp.MustCompile(restPattern).MatchString(text) {
		return fmt.Errorf("must be an address such as https://slurm.example:6820 or unix:/run/slurmrestd.sock, got %q", text)
	}
	return nil
}

func notEmpty(text string) error {
	if text == "" {
		return errors.New("must not be empty")
	}
	return nil
}

func knownOutput(text string) error {
	if !slices.Contains(Outputs, text) {
		return fmt.Errorf("unknown output format %q: use %s", text, strings.Join(Outputs, ", "))
	}
	return nil
}

const policyPattern = `^[a-z][a-z0-9]*\+?(:[a-z]+)?$`

// policyName checks the form only; the registry knows which names exist.
func policyName(text string) error {
	if !regexp.MustCompile(policyPattern).MatchString(text) {
		return fmt.Errorf("%q is no policy's name: write a name such as srtf", text)
	}
	return nil
}

func parallelism(text string) error {
	if n, err := strconv.Atoi(text); err != nil || n < 1 || n > MaxParallel {
		return fmt.Errorf("must be a whole number in [1, %d], got %q", MaxParallel, text)
	}
	return nil
}

// checkInFile adds what holds in a file only: it is read from any folder, so a
// relative path would mean many places.
func (s *setting) checkInFile(text string) error {
	if err := s.check(text); err != nil {
		return err
	}
	if s.folder && !filepath.IsAbs(text) {
		return fmt.Errorf("must be an absolute path, got %q", text)
	}
	return nil
}
