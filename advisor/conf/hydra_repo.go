package conf

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"sort"
	"strings"

	"schedmate/advisor/origin"
	"schedmate/advisor/source"
)

// repository finds configs by their path in the folders of a search path.
type repository struct {
	root   *source.Root
	dirs   []string
	hidden []string // places of the search path that are not in the repository
	store  map[string]*Node
	loaded map[string]*config
}

// config is one config: its own values and its defaults list.
type config struct {
	tree      *Node // without "defaults"
	defaults  []*entry
	hasList   bool
	header    string // package of the header line
	hasHeader bool
}

// fileName is the name of a config's file below a folder of the search path.
func fileName(config string) string {
	if strings.HasSuffix(config, ".yaml") || strings.HasSuffix(config, ".yml") {
		return config
	}
	return config + ".yaml"
}

func (r *repository) exists(config string) bool {
	loaded, err := r.load(config)
	return loaded != nil && err == nil
}

// isGroup reports whether a config group exists; Hydra's own groups do.
func (r *repository) isGroup(group string) bool {
	if strings.HasPrefix(group, "hydra/") {
		return true
	}
	if group == "" || strings.Contains(group, "..") {
		return false
	}
	for _, dir := range r.dirs {
		if r.root.IsDir(path.Join(dir, group)) {
			return true
		}
	}
	for name := range r.store {
		if strings.HasPrefix(name, group+"/") {
			return true
		}
	}
	return false
}

// options lists the configs of a folder, by their paths.
func (r *repository) options(group string) []string {
	var all []string
	for _, dir := range r.dirs {
		for _, item := range r.root.List(path.Join(dir, group)) {
			if name, found := strings.CutSuffix(item.Name(), ".yaml"); found {
				all = append(all, path.Join(group, name))
			}
		}
	}
	for name := range r.store {
		if path.Dir(name) == group {
			all = append(all, name)
		}
	}
	sort.Strings(all)
	return all
}

// load reads a config; nil without an error when there is none.
func (r *repository) load(name string) (*config, error) {
	if c, seen := r.loaded[name]; seen {
		return c, nil
	}
	c, err := r.read(name)
	if err == nil {
		r.loaded[name] = c
	}
	return c, err
}

func (r *repository) read(name string) (*config, error) {
	if name == "" || strings.HasPrefix(name, "/") || strings.Contains("/"+name+"/", "/../") {
		return nil, nil
	}
	for _, dir := range r.dirs {
		file, inside := source.Clean(path.Join(dir, fileName(name)))
		if !inside {
			continue
		}
		text, err := r.root.Read(file)
		if errors.Is(err, fs.ErrNotExist) || err != nil && !r.root.IsFile(file) {
			continue
		}
		if err != nil {
			return nil, err
		}
		tree, err := ParseYAML(file, text, OmegaConf)
		if err != nil {
			return nil, err
		}
		if schema := r.store[strings.TrimSuffix(name, ".yaml")]; schema != nil && schema.Kind == Map && tree.Kind == Map {
			tree = Merge(schema.Clone(), tree, MergeOptions{}) // Hydra before 1.2 takes the stored config of the name as its schema
		}
		c, err := newConfig(tree, file)
		if err == nil {
			c.header, c.hasHeader = packageHeader(string(text))
		}
		return c, err
	}
	if tree := r.store[strings.TrimSuffix(name, ".yaml")]; tree != nil {
		return newConfig(tree.Clone(), "config store, "+name)
	}
	return nil, nil
}

func newConfig(tree *Node, name string) (*config, error) {
	c := &config{tree: tree}
	switch tree.Kind {
	case Null:
		c.tree = NewMap(tree.Origin)
	case Map, List: // a group's config may be a list: it stands under the group's key
	default:
		return nil, fmt.Errorf("config %s: it holds no keys; Hydra takes a map", name)
	}
	list := c.tree.Fields["defaults"]
	if list == nil || list.Kind != List {
		return c, nil
	}
	c.hasList = true
	for _, item := range list.Items {
		e, err := newEntry(item)
		if err != nil {
			return nil, err
		}
		c.defaults = append(c.defaults, e)
	}
	c.tree.Drop("defaults")
	return c, nil
}

// packageHeader reads "# @package name" in the first lines of a file.
func packageHeader(text string) (string, bool) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		words := strings.Fields(strings.TrimLeft(line, "# \t"))
		if line[0] != '#' || len(words) == 0 || words[0][0] != '@' {
			return "", false
		}
		if words[0] == "@package" && len(words) > 1 && len(words[1]) <= maxName {
			return words[1], true
		}
	}
	return "", false
}

// searchPath adds the folders that "hydra.searchpath" names, in the command or
// in the primary config.
func (c *composer) searchPath(primary, workdir string) error {
	var list *Node
	if loaded, err := c.repo.load(primary); err != nil {
		return err
	} else if loaded != nil {
		list = loaded.tree.Get("hydra.searchpath")
	}
	for _, o := range c.words {
		if o.Key == "hydra.searchpath" {
			list = o.Value
		}
	}
	if list == nil {
		return nil
	}
	for _, item := range list.Items {
		scheme, place, found := strings.Cut(item.text(), "://")
		if !found {
			scheme, place = "file", item.text()
		}
		dir := path.Join(workdir, place)
		if scheme == "pkg" {
			dir = strings.ReplaceAll(place, ".", "/")
		}
		if clean, inside := source.Clean(dir); inside && c.repo.root.IsDir(clean) {
			c.repo.dirs = append(c.repo.dirs, clean)
		} else {
			c.repo.hidden = append(c.repo.hidden, clip(item.text()))
			c.warn(item.Origin, "the search path %s is not in the repository", clip(item.text()))
		}
	}
	c.repo.loaded = map[string]*config{} // a config that was not there may be there now
	return nil
}

// missing is the error for a config without a file.
func (r *repository) missing(e *entry) error {
	choice := e.configPath()
	if !e.isConfig {
		choice = e.groupPath() + "=" + e.value
	}
	dir := "."
	if len(r.dirs) > 0 {
		dir = r.dirs[0]
	}
	at := e.origin
	if at == nil {
		at = origin.Named(origin.Default, "Hydra, primary config")
	}
	return &MissingConfigError{Choice: choice, File: path.Join(dir, fileName(e.configPath())),
		Options: r.options(path.Dir(e.configPath())), Hidden: r.hidden, Origin: at}
}
