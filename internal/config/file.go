package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"schedmate"
	"schedmate/internal/docfile"
)

// Kind is the kind of a configuration document.
const Kind = "Config"

// document is the configuration file.
type document struct {
	APIVersion string `json:"apiVersion" yaml:"apiVersion"`
	Kind       string `json:"kind" yaml:"kind"` // "Config"
	State      string `json:"state,omitempty" yaml:"state,omitempty"`
	Data       string `json:"data,omitempty" yaml:"data,omitempty"`
	Output     string `json:"output,omitempty" yaml:"output,omitempty"`
	Policy     string `json:"policy,omitempty" yaml:"policy,omitempty"`
	Parallel   int    `json:"parallel,omitempty" yaml:"parallel,omitempty"`

	SlurmREST      string `json:"slurm_rest,omitempty" yaml:"slurm_rest,omitempty"`
	SlurmUser      string `json:"slurm_user,omitempty" yaml:"slurm_user,omitempty"`
	SlurmTokenFile string `json:"slurm_token_file,omitempty" yaml:"slurm_token_file,omitempty"`
}

var notes = docfile.Notes{
	reflect.TypeFor[document](): {
		{Field: "apiVersion", Text: "Version of the format.", Rules: []docfile.Rule{docfile.Exactly(schedmate.APIVersion)}},
		{Field: "kind", Text: "Kind of the document.", Rules: []docfile.Rule{docfile.Exactly(Kind)}},
		{Field: "state", Text: "Folder for state and caches, an absolute path. Built in: `schedmate` in `$XDG_STATE_HOME`, which is `~/.local/state` unless set.", Rules: []docfile.Rule{docfile.Matching("^/")}},
		{Field: "data", Text: "Folder of the traces that the product may not carry, an absolute path. Built in: none.", Rules: []docfile.Rule{docfile.Matching("^/")}},
		{Field: "output", Text: "Output format of commands that print results. Built in: `table`.", Rules: []docfile.Rule{docfile.OneOf(Outputs...)}},
		{Field: "policy", Text: "Policy of commands that are not told one. Built in: `fifo`.", Rules: []docfile.Rule{docfile.Matching(policyPattern)}},
		{Field: "parallel", Text: "Simulation runs at a time. Built in: one a processor.", Rules: []docfile.Rule{docfile.Between(1, MaxParallel)}},
		{Field: "slurm_rest", Text: "Address of a slurmrestd by which Slurm is read: `https://HOST:PORT`, `http://HOST:PORT` or `unix:/PATH`. Built in: none, Slurm's commands are run.", Rules: []docfile.Rule{docfile.Matching(restPattern)}},
		{Field: "slurm_user", Text: "User that its token is for. Built in: as the token says.", Rules: nil},
		{Field: "slurm_token_file", Text: "File with its token (JWT), an absolute path. Built in: none, the token is read from the environment variable `SLURM_JWT`.", Rules: []docfile.Rule{docfile.Matching("^/")}},
	},
}

// Schema returns the JSON Schema of the configuration file.
func Schema() *jsonschema.Schema {
	return docfile.Schema[document]("SchedMate configuration", notes)
}

// userFolder returns the user's schedmate folder below the one that an XDG
// variable names, and "" for a user without a home.
func (s *Sources) userFolder(variable, inHome string) (string, error) {
	base := s.env(variable)
	if base == "" {
		home := s.env("HOME")
		if home == "" {
			return "", nil
		}
		base = filepath.Join(home, inHome)
	}
	if !filepath.IsAbs(base) {
		return "", fmt.Errorf("%s must be an absolute path, got %q: correct or unset it", variable, base)
	}
	return filepath.Join(base, "schedmate"), nil
}

// Files returns the places of the configuration file, the first that exists
// counts. Named is true when the user has named the one place.
func (s *Sources) Files() (paths []string, named bool, err error) {
	if path, ok := s.Flags["config"]; ok {
		return []string{path}, true, nil
	}
	if path := s.env("SCHEDMATE_CONFIG"); path != "" {
		return []string{path}, true, nil
	}
	folder, err := s.userFolder("XDG_CONFIG_HOME", ".config")
	if err != nil {
		return nil, false, err
	}
	if folder != "" {
		paths = append(paths, filepath.Join(folder, "config.yaml"))
	}
	if s.SystemFile != "" {
		paths = append(paths, s.SystemFile)
	}
	return paths, false, nil
}

// readFile parses the configuration file; nil when there is none.
func (s *Sources) readFile() (*docfile.Document, error) {
	paths, named, err := s.Files()
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		f, err := os.Open(path)
		if errors.Is(err, fs.ErrNotExist) && !named {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("configuration file: %w: name another with --config or SCHEDMATE_CONFIG", err)
		}
		defer f.Close()
		return docfile.Parse(path, f)
	}
	return nil, nil
}
