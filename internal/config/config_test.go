package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// desk is a user with a home folder, a machine with a configuration folder,
// and nothing in either.
type desk struct {
	t            *testing.T
	home, system string
	vars         map[string]string
	flags        map[string]string
}

func newDesk(t *testing.T) *desk {
	home := t.TempDir()
	return &desk{
		t: t, home: home, system: filepath.Join(t.TempDir(), "config.yaml"),
		vars: map[string]string{"HOME": home}, flags: map[string]string{},
	}
}

// write puts a configuration with these fields into a file.
func (d *desk) write(path, fields string) string {
	d.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("apiVersion: schedmate/v1\nkind: Config\n"+fields), 0o644); err != nil {
		d.t.Fatal(err)
	}
	return path
}

func (d *desk) userFile() string { return filepath.Join(d.home, ".config/schedmate/config.yaml") }

func (d *desk) load() (*Effective, error) {
	return Load(Sources{
		Flags: d.flags, SystemFile: d.system, Processors: 8,
		Env: func(name string) (string, bool) { v, ok := d.vars[name]; return v, ok },
	})
}

// wants loads and compares the one setting's value and origin.
func (d *desk) wants(name, value, origin string) {
	d.t.Helper()
	e, err := d.load()
	if err != nil {
		d.t.Errorf("%s: %v", name, err)
		return
	}
	for _, v := range e.Values {
		if v.Name == name {
			if want := (Value{name, value, origin}); v != want {
				d.t.Errorf("got %+v, want %+v", v, want)
			}
			return
		}
	}
	d.t.Errorf("there is no setting %s in %+v", name, e.Values)
}

func (d *desk) refuses(want string) {
	d.t.Helper()
	e, err := d.load()
	if err == nil {
		d.t.Errorf("accepted as %+v, want the error %q", e, want)
	} else if err.Error() != want {
		d.t.Errorf("got  %s\nwant %s", err, want)
	}
}

func TestNothingConfigured(t *testing.T) {
	d := newDesk(t)
	e, err := d.load()
	if err != nil {
		t.Fatal(err)
	}
	state := filepath.Join(d.home, ".local/state/schedmate")
	if diff := cmp.Diff(Config{State: state, Output: "table", Policy: "fifo", Parallel: 8}, e.Config); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]Value{
		{"state", state, "built-in"}, {"data", "", "built-in"}, {"output", "table", "built-in"},
		{"policy", "fifo", "built-in"}, {"parallel", "8", "built-in"},
		{"slurm_rest", "", "built-in"}, {"slurm_user", "", "built-in"}, {"slurm_token_file", "", "built-in"},
	}, e.Values); diff != "" {
		t.Error(diff)
	}
}

// Each source overrides the ones below it.
func TestOrderOfSources(t *testing.T) {
	d := newDesk(t)
	d.wants("policy", "fifo", "built-in")
	system := d.write(d.system, "policy: sjf\n")
	d.wants("policy", "sjf", "file "+system+":3")
	user := d.write(d.userFile(), "output: yaml\npolicy: srtf\n")
	d.wants("policy", "srtf", "file "+user+":4")
	named := d.write(filepath.Join(d.home, "mine.yaml"), "policy: qssf\n")
	d.vars["SCHEDMATE_CONFIG"] = named
	d.wants("policy", "qssf", "file "+named+":3")
	other := d.write(filepath.Join(d.home, "other.yaml"), "policy: tiresias\n")
	d.flags["config"] = other
	d.wants("policy", "tiresias", "file "+other+":3")
	d.vars["SCHEDMATE_POLICY"] = "lucid+"
	d.wants("policy", "lucid+", "environment SCHEDMATE_POLICY")
	d.flags["policy"] = "chronus:greedy"
	d.wants("policy", "chronus:greedy", "flag --policy")
}

// Only one file counts: what the user's own file leaves out is not taken from
// the machine's.
func TestFilesAreNotMerged(t *testing.T) {
	d := newDesk(t)
	d.write(d.system, "policy: sjf\nparallel: 2\n")
	d.write(d.userFile(), "policy: srtf\n")
	d.wants("parallel", "8", "built-in")
}

func TestUserFolders(t *testing.T) {
	d := newDesk(t)
	d.vars["XDG_CONFIG_HOME"] = filepath.Join(d.home, "etc")
	d.vars["XDG_STATE_HOME"] = filepath.Join(d.home, "var")
	file := d.write(filepath.Join(d.home, "etc/schedmate/config.yaml"), "data: /srv/traces\n")
	d.wants("data", "/srv/traces", "file "+file+":3")
	d.wants("state", filepath.Join(d.home, "var/schedmate"), "built-in")
	d.vars["SCHEDMATE_STATE"] = "/tank/state"
	d.wants("state", "/tank/state", "environment SCHEDMATE_STATE")
	d.vars["XDG_CONFIG_HOME"] = "etc"
	d.refuses(`XDG_CONFIG_HOME must be an absolute path, got "etc": correct or unset it`)
}

// A service may run without a home folder. It has no place for state until it
// is told one, and everything else works.
func TestNoHome(t *testing.T) {
	d := newDesk(t)
	d.vars = map[string]string{"SCHEDMATE_DATA": ""}
	d.write(d.system, "policy: sjf\n")
	d.wants("policy", "sjf", "file "+d.system+":3")
	d.wants("data", "", "built-in")
	e, err := d.load()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.StateFolder(); err == nil || !strings.Contains(err.Error(), "set SCHEDMATE_STATE") {
		t.Errorf("got %v", err)
	}
	d.flags["state"] = "state"
	if e, err = d.load(); err != nil {
		t.Fatal(err)
	}
	if folder, err := e.StateFolder(); folder != "state" || err != nil {
		t.Errorf("got %q, %v", folder, err)
	}
}

func TestMistakes(t *testing.T) {
	d := newDesk(t)
	file := func(fields, want string) {
		t.Helper()
		path := d.write(d.userFile(), fields)
		d.refuses(path + want)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	file("polcy: srtf\n", ":3: polcy: there is no such field; did you mean policy?")
	file("output: json\noutput: yaml\n", ":4: output: is given twice, first at line 3; remove one of the two")
	file("parallel: four\n", `:3: parallel: must be a whole number, got the text "four"; write a whole number`)
	file("parallel: 0\n", `:3: parallel: must be a whole number in [1, 1024], got "0"; see docs/format/config.md`)
	file("parallel:\n", ":3: parallel: must be a whole number, got nothing; write a whole number")
	file("data: traces\n", `:3: data: must be an absolute path, got "traces"; see docs/format/config.md`)
	file("data: ''\n", ":3: data: must not be empty; see docs/format/config.md")
	file("output: xml\n", `:3: output: unknown output format "xml": use table, json, yaml; see docs/format/config.md`)
	file("policy: Shortest First\n", `:3: policy: "Shortest First" is no policy's name: write a name such as srtf; see docs/format/config.md`)

	d.vars["SCHEDMATE_PARALLEL"] = "many"
	d.refuses(`environment variable SCHEDMATE_PARALLEL: must be a whole number in [1, 1024], got "many"`)
	d.flags["parallel"] = "4" // overrides it, and the mistake shows all the same
	d.refuses(`environment variable SCHEDMATE_PARALLEL: must be a whole number in [1, 1024], got "many"`)
	delete(d.vars, "SCHEDMATE_PARALLEL")
	d.flags["output"] = "wide"
	d.refuses(`flag --output: unknown output format "wide": use table, json, yaml`)
	d.flags["output"] = ""
	d.refuses(`flag --output: unknown output format "": use table, json, yaml`)
	delete(d.flags, "output")

	missing := filepath.Join(d.home, "missing.yaml")
	d.flags["config"] = missing
	d.refuses("configuration file: open " + missing + ": no such file or directory: name another with --config or SCHEDMATE_CONFIG")

	snapshot := filepath.Join(d.home, "snapshot.yaml")
	if err := os.WriteFile(snapshot, []byte("apiVersion: schedmate/v1\nkind: Snapshot\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	d.flags["config"] = snapshot
	d.refuses(snapshot + `:2: kind: must be Config, got "Snapshot"; give a Config document here, see docs/format/config.md`)
}

// The places of the file, as a command can show them.
func TestPlacesOfTheFile(t *testing.T) {
	s := Sources{SystemFile: SystemFile, Env: func(name string) (string, bool) { return "/home/ann", name == "HOME" }}
	paths, named, err := s.Files()
	if err != nil || named {
		t.Fatal(named, err)
	}
	if diff := cmp.Diff([]string{"/home/ann/.config/schedmate/config.yaml", "/etc/schedmate/config.yaml"}, paths); diff != "" {
		t.Error(diff)
	}
}
