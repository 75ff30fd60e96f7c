package conf

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"schedmate/advisor/origin"
	"schedmate/advisor/source"
)

// ComposeRequest is what a program and its command ask of Hydra. Folders are
// relative to the repository's root.
type ComposeRequest struct {
	ConfigDir  string   // folder of the primary config, "config_path" of the decorator
	ConfigName string   // primary config, with or without ".yaml"; empty for none
	ScriptDir  string   // folder of the program; "--config-path" starts here
	Workdir    string   // folder in which it runs; "--config-dir" and "file://" start here
	Words      []Word   // words of the command behind the program: overrides and Hydra's own flags
	SearchPath []string // further folders, searched after ConfigDir
	// Store holds configs that the program registers in Python, by path
	// without extension ("optimizer/adam"). Files win over them.
	Store map[string]*Node
	// PrimaryFirst is the rule of Hydra 1.0: without "_self_" the values of the
	// primary config are weaker than its defaults. Since 1.1 they are stronger.
	PrimaryFirst bool
}

// Composition is the configuration that a program gets from Hydra, before
// interpolations are filled.
type Composition struct {
	Tree     *Node // without the key "hydra"
	Hydra    *Node // what the repository and the command set below "hydra"; never nil
	Choices  *Node // group -> chosen option, a map of strings in order of the defaults list
	Multirun bool  // several runs are asked for
	Sweeps   []Sweep
	Runs     int    // number of runs: 1 without a sweep, 0 when it is not known
	Shows    string // a flag that only shows the configuration or help; nothing is trained
	Warnings []Doubt
}

// Sweep is one key that changes from run to run. The composition uses its first
// value.
type Sweep struct {
	Key    string
	Values []*Node // nil when they are drawn at run time
	Origin *origin.Origin
}

// Doubt is something that may make the real configuration differ.
type Doubt struct {
	Text   string
	Origin *origin.Origin
}

// MissingConfigError says that a config of the defaults list or of the command
// has no file. Hydra stops on it.
type MissingConfigError struct {
	Choice  string   // as a word: "experiment=pile/gpt"
	File    string   // the first file that was looked for
	Options []string // configs that stand in the folder where it was looked for
	Hidden  []string // places of the search path that cannot be read here
	Origin  *origin.Origin
}

func (e *MissingConfigError) Error() string {
	text := fmt.Sprintf("config %s: no file %s (asked for at %s)", e.Choice, e.File, e.Origin.Place())
	if len(e.Hidden) > 0 {
		text += "; it may stand in " + strings.Join(e.Hidden, ", ")
	}
	if len(e.Options) > 0 {
		return text + "; choose one of " + strings.Join(e.Options[:min(len(e.Options), 12)], ", ")
	}
	return text + "; add the file or choose another config"
}

// Compose builds the configuration as Hydra does: the defaults list in order,
// then the overrides of the command.
func Compose(root *source.Root, request ComposeRequest) (*Composition, error) {
	c := composer{result: &Composition{Choices: NewMap(nil), Runs: 1}}
	c.repo = repository{root: root, store: request.Store, loaded: map[string]*config{}}
	command := c.readWords(request)
	c.repo.dirs = append([]string{command.dir}, request.SearchPath...)
	if command.extra != "" {
		c.repo.dirs = append(c.repo.dirs, command.extra)
	}
	c.primaryFirst = request.PrimaryFirst
	if err := c.searchPath(command.name, request.Workdir); err != nil {
		return nil, err
	}
	c.sort()
	list, err := c.defaultsList(command.name)
	if err != nil {
		return nil, err
	}
	tree := NewMap(nil)
	for _, e := range list {
		loaded, err := c.repo.load(e.configPath())
		if err != nil {
			return nil, err
		}
		wrapped, err := embed(loaded.tree, e.finalPackage(true))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.origin.Place(), err)
		}
		tree = Merge(tree, wrapped, MergeOptions{})
	}
	for _, o := range c.overrides {
		if err := c.apply(tree, o); err != nil {
			return nil, err
		}
	}
	return c.finish(tree)
}

// embed puts a config below its package.
func embed(tree *Node, pkg string) (*Node, error) {
	if pkg == "" {
		if tree.Kind != Map {
			return nil, errors.New("a list cannot be the whole configuration; give it a package")
		}
		return tree, nil
	}
	wrapped := NewMap(tree.Origin)
	err := wrapped.Set(pkg, tree)
	return wrapped, err
}

// composer holds the state of one composition.
type composer struct {
	repo         repository
	result       *Composition
	primaryFirst bool
	words        []Override // all overrides of the command, in order
	overrides    []Override // those of values
	groups       []Override // those that append to the defaults list
	chosen       map[string]*selection
	deleted      map[string]*selection
	entries      int
	deferred     []*branch
}

// selection is an override of a config group.
type selection struct {
	value  *Node
	origin *origin.Origin
	used   bool
}

type hydraCommand struct{ dir, name, extra string }

func (c *composer) warn(at *origin.Origin, format string, args ...any) {
	c.result.Warnings = append(c.result.Warnings, Doubt{fmt.Sprintf(format, args...), at})
}

// hydraFlags are Hydra's own flags; true: a value follows.
var hydraFlags = map[string]bool{
	"--help": false, "-h": false, "--hydra-help": false, "--version": false, "--resolve": false,
	"--run": false, "-r": false, "--multirun": false, "-m": false, "--shell-completion": false, "-sc": false,
	"--cfg": true, "-c": true, "--package": true, "-p": true, "--info": true, "-i": true, "--experimental-rerun": true,
	"--config-path": true, "-cp": true, "--config-name": true, "-cn": true, "--config-dir": true, "-cd": true,
}

// readWords splits the command into Hydra's flags and overrides.
func (c *composer) readWords(request ComposeRequest) hydraCommand {
	command := hydraCommand{dir: request.ConfigDir, name: request.ConfigName}
	for i := 0; i < len(request.Words); i++ {
		w := request.Words[i]
		if !w.Known {
			c.warn(w.Origin, "a word of the command is not known; if it is an override, the configuration differs")
			continue
		}
		flag, value, glued := strings.Cut(w.Text, "=")
		takes, isFlag := hydraFlags[flag]
		if !isFlag && strings.HasPrefix(w.Text, "-") {
			c.warn(w.Origin, "%s is not a flag of Hydra, which stops on it unless the program takes it away", clip(w.Text))
			continue
		}
		if !isFlag {
			o, err := ParseOverride(w.Text, w.Origin)
			if err != nil {
				c.warn(w.Origin, "%v", err)
				continue
			}
			c.words = append(c.words, o)
			continue
		}
		if takes && !glued && i+1 < len(request.Words) && request.Words[i+1].Known {
			i++
			value = request.Words[i].Text
		}
		switch flag {
		case "--multirun", "-m":
			c.result.Multirun = true
		case "--config-name", "-cn":
			command.name = value
		case "--config-path", "-cp":
			command.dir = path.Join(request.ScriptDir, value)
		case "--config-dir", "-cd":
			command.extra = path.Join(request.Workdir, value)
		case "--help", "-h", "--hydra-help", "--version", "--cfg", "-c", "--info", "-i", "--shell-completion", "-sc":
			c.result.Shows = flag
		}
	}
	return command
}

// sort divides the command's overrides: those of groups choose configs, the
// others set values.
func (c *composer) sort() {
	c.chosen, c.deleted = map[string]*selection{}, map[string]*selection{}
	for _, o := range c.words {
		if o.Key == "hydra.mode" && strings.EqualFold(o.Value.text(), "multirun") {
			c.result.Multirun = true
		}
		if o.Swept {
			c.result.Sweeps = append(c.result.Sweeps, Sweep{o.key(), o.Sweep, o.Origin})
		}
		group := c.repo.isGroup(o.Key) && (o.Value == nil || o.Value.Kind != Map)
		pick := &selection{value: o.Value, origin: o.Origin}
		if strings.HasPrefix(o.Key, "hydra/") && o.Value != nil && o.Value.Kind == String {
			c.result.Choices.Put(o.Key, o.Value)
		}
		if group && o.Prefix != "~" && o.Value.Kind == Null {
			c.warn(o.Origin, "%s chooses no config; Hydra wants the name of one, or ~%s", clip(o.Text), o.key())
		}
		switch {
		case o.Prefix == "~" && (group || c.repo.exists(o.Key)):
			c.deleted[o.key()] = pick
		case !group:
			c.overrides = append(c.overrides, o)
		case o.Prefix != "":
			c.groups = append(c.groups, o)
		default:
			if old := c.chosen[o.key()]; old != nil {
				pick.origin = pick.origin.Over(old.origin)
			}
			c.chosen[o.key()] = pick
		}
	}
}

// key is the override's key with its package.
func (o Override) key() string {
	if o.Package != "" {
		return o.Key + "@" + o.Package
	}
	return o.Key
}

// text is the text of a scalar, in Python's form; empty for anything else.
func (n *Node) text() string {
	if n == nil || n.Kind == Null || n.Kind == List || n.Kind == Map {
		return ""
	}
	text, _ := n.Python()
	return text
}

// apply sets, adds or deletes one value.
func (c *composer) apply(tree *Node, o Override) error {
	if o.Package != "" {
		return fmt.Errorf("override %q: there is no config group %s; add its folder or correct the word", clip(o.Text), o.Key)
	}
	hydra := o.Key == "hydra" || strings.HasPrefix(o.Key, "hydra.")
	old := tree.Get(o.Key)
	if o.Prefix == "~" {
		if !tree.Unset(o.Key) && !hydra {
			c.warn(o.Origin, "~%s deletes a key that is not in the configuration; Hydra stops on it", o.Key)
		}
		return nil
	}
	if old == nil && o.Prefix == "" && !hydra {
		c.warn(o.Origin, "%s is not in the configuration files; Hydra stops on it unless the program declares it (or the word begins with +)", o.Key)
	}
	value := o.Value
	if old != nil && old.Kind == Map && value.Kind == Map {
		value = Merge(old, value, MergeOptions{})
	}
	if err := tree.Set(o.Key, value); err != nil {
		return fmt.Errorf("override %q: %w; correct the word", clip(o.Text), err)
	}
	return nil
}

// finish takes Hydra's own part out of the tree and counts the runs.
func (c *composer) finish(tree *Node) (*Composition, error) {
	r := c.result
	if r.Hydra = tree.Fields["hydra"]; r.Hydra == nil || r.Hydra.Kind != Map {
		r.Hydra = NewMap(nil)
	}
	tree.Drop("hydra")
	r.Tree = tree
	if strings.EqualFold(r.Hydra.Get("mode").text(), "multirun") {
		r.Multirun = true
	}
	if !r.Multirun {
		for _, s := range r.Sweeps {
			return nil, fmt.Errorf("override of %s holds several values but the command does not ask for several runs; add -m or write a list in brackets", s.Key)
		}
		return r, nil
	}
	if params := r.Hydra.Get("sweeper.params"); params != nil {
		if err := c.sweepParams(params); err != nil {
			return nil, err
		}
	}
	for _, s := range r.Sweeps {
		if r.Runs *= len(s.Values); r.Runs > 1_000_000 {
			r.Runs = 0
		}
	}
	if trials := r.Hydra.Get("sweeper.n_trials"); trials != nil && trials.Kind == Int && trials.Int > 0 && trials.Int < 1_000_000 {
		r.Runs = int(trials.Int) // a search, not a grid
	}
	return r, nil
}

// sweepParams adds the sweeps that the configuration itself asks for; those of
// the command win.
func (c *composer) sweepParams(params *Node) error {
	var failed error
	params.Walk(func(_ string, n *Node) bool {
		for _, key := range n.Keys {
			v := n.Fields[key]
			text := v.text()
			if v.Kind == Map || text == "" || c.onCommand(key) {
				continue
			}
			o, err := ParseOverride(key+"="+text, v.Origin)
			if err != nil {
				c.warn(v.Origin, "%v", err)
				continue
			}
			if o.Swept {
				c.result.Sweeps = append(c.result.Sweeps, Sweep{o.key(), o.Sweep, o.Origin})
			}
			if c.repo.isGroup(o.Key) {
				c.warn(v.Origin, "the sweep chooses configs of group %s; the configuration shows the default one", o.Key)
				continue
			}
			failed = errors.Join(failed, c.apply(c.result.Tree, o))
		}
		return true
	})
	return failed
}

func (c *composer) onCommand(key string) bool {
	for _, o := range c.words {
		if o.key() == strings.TrimLeft(key, "+") {
			return true
		}
	}
	return false
}
