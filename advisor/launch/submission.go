package launch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Submission is one line of a file of submissions: a repository, a command,
// and the launch request around it.
type Submission struct {
	ID      string
	Root    string // folder of the repository, absolute or relative to the file of submissions
	Workdir string // inside Root
	Command string
	Argv    []string
	Env     map[string]string
	Launch  struct {
		Kind      string // slurm, k8s, local
		JobName   string
		Sbatch    string
		Script    string // path inside Root
		Overrides []string
		Manifest  []byte
		Env       map[string]string
	}
}

const maxSubmission = 4 << 20

// ParseSubmission decodes one submission from JSON. Numbers and booleans are
// taken for the text of a variable; unknown fields are passed over.
func ParseSubmission(data []byte) (Submission, error) {
	var s Submission
	if len(data) > maxSubmission {
		return s, fmt.Errorf("submission: larger than %d bytes; leave out what is not its command or launch request", maxSubmission)
	}
	var in struct {
		ID      string            `json:"id"`
		Root    string            `json:"root"`
		Workdir string            `json:"workdir"`
		Command string            `json:"command"`
		Argv    []string          `json:"argv"`
		Env     map[string]scalar `json:"env"`
		Launch  struct {
			Kind      string            `json:"kind"`
			JobName   string            `json:"job_name"`
			Sbatch    string            `json:"sbatch"`
			Script    string            `json:"script_path"`
			Overrides json.RawMessage   `json:"overrides"`
			Manifest  json.RawMessage   `json:"manifest"`
			Env       map[string]scalar `json:"env"`
		} `json:"launch"`
	}
	if empty := bytes.TrimSpace(data); len(empty) == 0 || string(empty) == "null" {
		return s, errors.New("submission: it is missing; give one JSON object with root, command and launch")
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	if err := dec.Decode(&in); err != nil {
		return s, fmt.Errorf("submission: %w; give one JSON object with root, command and launch", err)
	}
	if in.Command == "" && len(in.Argv) == 0 && in.Launch.Sbatch == "" && in.Launch.Script == "" && len(in.Launch.Manifest) == 0 {
		return s, fmt.Errorf("submission: it has no command, no script and no manifest%s; give the command that trains", strangers(data))
	}
	s.ID, s.Root, s.Workdir, s.Command, s.Argv, s.Env = in.ID, in.Root, in.Workdir, in.Command, in.Argv, textMap(in.Env)
	l := &s.Launch
	l.Kind, l.JobName, l.Sbatch, l.Script, l.Env = in.Launch.Kind, in.Launch.JobName, in.Launch.Sbatch, in.Launch.Script, textMap(in.Launch.Env)
	l.Manifest = in.Launch.Manifest
	if string(l.Manifest) == "null" {
		l.Manifest = nil
	}
	var text string
	if json.Unmarshal(l.Manifest, &text) == nil { // YAML inside a string
		l.Manifest = []byte(text)
	}
	if len(in.Launch.Overrides) > 0 && json.Unmarshal(in.Launch.Overrides, &l.Overrides) != nil {
		if err := json.Unmarshal(in.Launch.Overrides, &text); err != nil {
			return s, fmt.Errorf("submission: launch.overrides: %w; give a list of sbatch words", err)
		}
		l.Overrides = directiveWords(text)
	}
	return s, nil
}

// strangers names the fields of a submission that none has, as a mistyped one.
func strangers(data []byte) string {
	var all map[string]json.RawMessage
	if json.NewDecoder(bytes.NewReader(data)).Decode(&all) != nil {
		return ""
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if !slices.Contains([]string{"id", "root", "workdir", "command", "argv", "env", "launch"}, strings.ToLower(name)) && len(names) < 10 {
			names = append(names, strconv.Quote(clip(name, 40)))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return ", and a field that is not known: " + strings.Join(names, ", ")
}

// scalar is a JSON string, number or boolean as text.
type scalar string

func (t *scalar) UnmarshalJSON(data []byte) error {
	var s string
	switch {
	case json.Unmarshal(data, &s) == nil:
		*t = scalar(s)
	case len(data) > 0 && (data[0] == '{' || data[0] == '['):
		return errors.New("a variable must be text")
	default:
		*t = scalar(data)
	}
	return nil
}

func textMap(in map[string]scalar) map[string]string {
	out := map[string]string{}
	for k, v := range in {
		out[k] = string(v)
	}
	return out
}

// Request is what Resolve needs of the submission. Variables of the launch
// request are those of the submission too; the latter win.
func (s Submission) Request() Request {
	env := map[string]string{}
	for k, v := range s.Launch.Env {
		env[k] = v
	}
	for k, v := range s.Env {
		env[k] = v
	}
	return Request{Command: s.Command, Argv: s.Argv, Env: env, Workdir: s.Workdir, Kind: s.Launch.Kind, Sbatch: s.Launch.Sbatch,
		Script: s.Launch.Script, Overrides: s.Launch.Overrides, Manifest: s.Launch.Manifest}
}

// RequestOf is the request of a command and, if name is not empty, of a
// request file. What the file says of itself decides whether it is a batch
// script or a manifest; if it says nothing, the end of its name does.
func RequestOf(name string, text []byte, command []string) Request {
	r := Request{Argv: command, Kind: "local"}
	switch {
	case name == "":
	case isManifest(name, text):
		r.Kind, r.Manifest = "k8s", text
	default:
		r.Kind, r.Sbatch = "slurm", string(text)
	}
	return r
}

// isManifest tells a manifest from a batch script by the first line that is no
// comment, and by the name.
func isManifest(name string, text []byte) bool {
	for line := range bytes.Lines(text[:min(len(text), 64<<10)]) {
		line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\ufeff")))
		if bytes.HasPrefix(line, []byte("#!")) || bytes.HasPrefix(line, []byte("#SBATCH")) {
			return false
		}
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		for _, start := range []string{"apiVersion:", "kind:", "metadata:", "---"} {
			if bytes.HasPrefix(line, []byte(start)) {
				return true
			}
		}
		break
	}
	switch strings.ToLower(path.Ext(name)) {
	case ".yaml", ".yml", ".json":
		return true
	}
	return false
}

// Check refuses a batch script without text, and a manifest that is empty,
// cannot be read or is of no kind.
func (r Request) Check() error {
	switch {
	case r.Sbatch == "" && len(r.Manifest) == 0, len(strings.TrimSpace(r.Sbatch)) == 0 && len(bytes.TrimSpace(r.Manifest)) == 0:
		return errors.New("it is empty: write the batch script or the manifest of the job into it")
	case len(r.Manifest) == 0:
		return nil
	}
	m, err := readManifest(r.Manifest)
	if err == nil && m.kind == "" && len(m.pods) == 0 {
		err = errors.New("manifest: it has neither a kind nor containers: give the job's manifest, or name a batch script .sh or .sbatch")
	}
	return err
}
