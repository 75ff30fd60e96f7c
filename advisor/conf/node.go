// Package conf reads configuration files and composes them as the
// configuration systems of training code do: YAML as PyYAML, OmegaConf and
// ruamel.yaml read it, JSON, TOML, OmegaConf's interpolation, Hydra's defaults
// lists and overrides, HyperPyYAML, gin, and the base files and pairs of yacs.
// Every node of a tree knows where it was set and what it beat. Nothing is
// executed: what only a running program can tell is an Unknown node with the
// reason, and a file that is not there is an error that names it.
package conf

import "schedmate/advisor/origin"

// Kind is the sort of a node.
type Kind int

const (
	Null Kind = iota
	Bool
	Int
	Float
	String
	List
	Map
	Unknown // set by something that cannot be followed, such as a resolver that asks the machine; Text says why
)

// Node is one value of a configuration tree with its evidence.
//
// Invariant: Fields and Keys are used by a Map alone and hold the same names,
// Keys in order of the file; Items is used by a List alone. Of Bool, Int, Float
// and Text only the one that Kind names has a meaning; a String keeps its text
// in Text.
type Node struct {
	Kind   Kind
	Bool   bool
	Int    int64
	Float  float64
	Text   string
	Tag    string // the YAML tag, when it is an application's own ("!ref", "!new:torch.nn.Linear"), or "@", "@()" and "%" of gin
	Items  []*Node
	Keys   []string
	Fields map[string]*Node
	Origin *origin.Origin
}
