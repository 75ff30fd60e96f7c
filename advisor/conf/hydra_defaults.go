package conf

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

const (
	maxChain   = 40   // configs that include one another
	maxEntries = 2000 // entries of all defaults lists
)

// branch is one entry in the tree of configs with the entries that its config
// brings.
type branch struct {
	entry    *entry
	parent   *branch
	children []*branch
	waits    bool // its option holds "${...}" of other choices
}

// defaultsList is the order in which configs are merged: depth first, each
// config's own values where "_self_" stands.
func (c *composer) defaultsList(primary string) ([]*entry, error) {
	root := &branch{entry: &entry{isConfig: true, path: primary, primary: true}}
	if primary == "" {
		root.entry.path = "(no config)"
		c.repo.loaded["(no config)"] = &config{tree: NewMap(nil)}
	}
	if err := c.grow(root, 0); err != nil {
		return nil, err
	}
	if err := c.growDeferred(); err != nil {
		return nil, err
	}
	for _, o := range c.words {
		if s := c.chosen[o.key()]; s != nil && !s.used && !strings.HasPrefix(o.Key, "hydra/") {
			return nil, fmt.Errorf("override %q: the defaults list has no %s to choose; write +%s to add it", clip(o.Text), o.key(), clip(o.Text))
		}
	}
	for _, o := range c.words {
		if s := c.deleted[o.key()]; o.Prefix == "~" && s != nil && !s.used {
			c.warn(o.Origin, "%s deletes a config that the defaults list does not choose; Hydra stops on it", clip(o.Text))
		}
	}
	var list []*entry
	root.collect(&list)
	return list, nil
}

// grow loads a branch's config and the entries below it. Lists are followed
// from their end, for the last override of a group wins.
func (c *composer) grow(b *branch, depth int) error {
	e := b.entry
	if c.entries++; depth > maxChain || c.entries > maxEntries || len(e.parentPkg) > 10*maxName {
		return fmt.Errorf("config %s: %w: configs include one another too often; break the chain", clip(e.configPath()), ErrLimit)
	}
	if s := c.deleted[e.deleteKey()]; s != nil && (s.value == nil || s.value.text() == e.value) {
		s.used, e.deleted = true, true
		return nil
	}
	if err := c.choice(e); err != nil {
		return err
	}
	switch {
	case e.null:
		return nil
	case e.name() == "???":
		if c.result.Multirun {
			return nil
		}
		return &MissingConfigError{Choice: e.key() + "=???", File: fileName(e.configPath()), Options: c.repo.options(e.groupPath()), Hidden: c.repo.hidden, Origin: e.origin}
	}
	loaded, err := c.repo.load(e.configPath())
	if err != nil {
		return err
	}
	if loaded == nil {
		switch {
		case strings.HasPrefix(e.configPath(), "hydra/"):
			e.underHydra = true
		case e.optional:
			e.deleted = true
		default:
			return c.repo.missing(e)
		}
		return nil
	}
	e.header, e.hasHeader = loaded.header, loaded.hasHeader
	if c.primaryFirst && !e.hasHeader { // before 1.1 the values of a config without a header go to the top
		e.header, e.hasHeader = "_global_", true
	}
	list := c.ownList(e, loaded)
	for _, child := range list {
		child.parentDir, child.parentPkg = e.groupPath(), e.finalPackage(true)
	}
	for _, child := range slices.Backward(list) {
		if child.override {
			c.overrideFrom(child)
			continue
		}
		if err := c.plant(b, child, depth); err != nil {
			return err
		}
	}
	slices.Reverse(b.children)
	return nil
}

// ownList is a copy of a config's defaults list with "_self_" in its place and,
// for the primary config, with the groups that the command adds.
func (c *composer) ownList(e *entry, loaded *config) []*entry {
	var list []*entry
	hasSelf, plain := false, false
	for _, d := range loaded.defaults {
		same := *d
		list = append(list, &same)
		hasSelf = hasSelf || d.self()
		plain = plain || !d.override
	}
	adds := e.primary && len(c.groups) > 0
	if (len(list) > 0 || adds) && (!hasSelf && plain || len(list) == 0) {
		self := &entry{isConfig: true, path: "_self_", origin: loaded.tree.Origin}
		if e.primary && c.primaryFirst {
			list = slices.Insert(list, 0, self)
		} else {
			list = append(list, self)
		}
	}
	if adds {
		for _, o := range c.groups {
			added := &entry{group: o.Key, pkg: o.Package, hasPkg: o.Package != "", appended: true, origin: o.Origin}
			added.choose(o.Value)
			list = append(list, added)
		}
	}
	return list
}

// plant adds one entry of a config's list to the tree.
func (c *composer) plant(b *branch, e *entry, depth int) error {
	leaf := &branch{entry: e, parent: b}
	if e.self() {
		b.children = append(b.children, leaf)
		return nil
	}
	if !e.isConfig {
		if s := c.choiceOf(e); s != nil {
			s.used = true
			was := e.origin
			e.choose(s.value)
			e.origin = s.origin.Over(was)
		}
	}
	switch {
	case e.isList:
		for _, option := range slices.Backward(e.options) {
			one := &entry{isConfig: true, path: e.group + "/" + option, pkg: e.pkg, hasPkg: e.hasPkg, optional: e.optional,
				appended: e.appended, parentDir: e.parentDir, parentPkg: e.parentPkg, origin: e.origin}
			below := &branch{entry: one, parent: b}
			if err := c.grow(below, depth+1); err != nil {
				return err
			}
			b.children = append(b.children, below)
		}
		c.result.Choices.Put(e.key(), Text(strings.Join(e.options, ","), e.origin))
		return nil
	case strings.Contains(e.name(), "${") || e.isConfig && strings.Contains(e.path, "${"):
		leaf.waits = true
		c.deferred = append(c.deferred, leaf)
	default:
		if err := c.grow(leaf, depth+1); err != nil {
			return err
		}
	}
	b.children = append(b.children, leaf)
	return nil
}

// choiceOf is the command's choice for an entry. Of one whose values go to the
// top ("task@_global_: a") Hydra 1.1.0 takes "task=b", later ones want
// "task@_global_=b": which of them is installed is not known here.
func (c *composer) choiceOf(e *entry) *selection {
	key := e.key()
	if s := c.chosen[key]; s != nil {
		return s
	}
	if group, ok := strings.CutSuffix(key, "@_global_"); ok && c.chosen[group] != nil && !c.chosen[group].used {
		c.warn(c.chosen[group].origin, "Hydra 1.1.0 takes %s for %s; later ones stop on it", group, key)
		return c.chosen[group]
	}
	return nil
}

// choice records which option of a group is used. Two lists may choose the same
// option of a group, but not two.
func (c *composer) choice(e *entry) error {
	if e.isConfig || e.primary {
		return nil
	}
	v := Text(e.value, e.origin)
	if e.null {
		v = &Node{Kind: Null, Origin: e.origin}
	}
	old := c.result.Choices.Fields[e.key()]
	if old != nil && (old.Kind != v.Kind || old.Text != v.Text) {
		return fmt.Errorf("%s chooses %s=%s where %s has chosen another; write it as an override of %s",
			e.origin.Place(), clip(e.key()), clip(fmt.Sprint(v.Plain())), old.Origin.Place(), clip(e.key()))
	}
	if old == nil {
		c.result.Choices.Put(e.key(), v)
	}
	return nil
}

// overrideFrom registers "override group: option". The command's choice and
// one that stands later in the list are there already and stay.
func (c *composer) overrideFrom(e *entry) {
	var v *Node
	switch {
	case e.null:
		v = &Node{Kind: Null, Origin: e.origin}
	case e.isList:
		v = FromGo(e.options, e.origin)
	default:
		v = Text(e.value, e.origin)
	}
	key := e.key()
	if old := c.chosen[key]; old != nil {
		old.origin = old.origin.Over(e.origin)
		return
	}
	if strings.HasPrefix(key, "hydra/") && c.result.Choices.Fields[key] == nil { // such as the launcher; its own config is Hydra's
		c.result.Choices.Put(key, v)
	}
	c.chosen[key] = &selection{value: v, origin: e.origin}
}

func (e *entry) deleteKey() string {
	if e.isConfig {
		return e.configPath()
	}
	return e.key()
}

var choiceReference = regexp.MustCompile(`\$\{\s*([^{}]*?)\s*\}`)

// growDeferred fills options such as "${dataset}_${model}" once the other
// choices are known.
func (c *composer) growDeferred() error {
	for progress := true; progress && len(c.deferred) > 0; {
		progress = false
		waiting := c.deferred
		c.deferred = nil
		for _, b := range waiting {
			known := true
			fill := func(text string) string {
				return choiceReference.ReplaceAllStringFunc(text, func(ref string) string {
					choice := c.result.Choices.Fields[choiceReference.FindStringSubmatch(ref)[1]]
					if choice == nil || choice.Kind != String {
						known = false
						return ref
					}
					return choice.Text
				})
			}
			path, value := fill(b.entry.path), fill(b.entry.value)
			if !known || len(path)+len(value) > 2*maxName {
				c.deferred = append(c.deferred, b)
				continue
			}
			b.entry.path, b.entry.value = path, value
			b.waits, progress = false, true
			if err := c.grow(b, maxChain/2); err != nil {
				return err
			}
		}
	}
	if len(c.deferred) > 0 {
		e := c.deferred[0].entry
		return fmt.Errorf("%s: the defaults list chooses %q by a group that has no choice; choose one", e.origin.Place(), clip(e.name()))
	}
	return nil
}

// collect lists the entries whose values are merged, in order.
func (b *branch) collect(list *[]*entry) {
	if len(b.children) == 0 {
		b.entry.append(list)
		return
	}
	for _, child := range b.children {
		if child.entry.self() {
			b.entry.append(list)
		} else {
			child.collect(list)
		}
	}
}

func (e *entry) append(list *[]*entry) {
	if !e.deleted && !e.null && !e.isList && !e.underHydra && e.name() != "???" {
		*list = append(*list, e)
	}
}
