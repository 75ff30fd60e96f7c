package conf

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"schedmate/advisor/source"
)

// LoadBased reads a YAML file with the files that its base key names, weakest
// first: "_BASE_" of detectron2 and fvcore, "BASE" of others. A base is one
// path or a list of paths, relative to the file that names it. A base outside
// the repository, such as "~/x.yaml" or a URL, is a *MissingConfigError.
func LoadBased(root *source.Root, name, baseKey string) (*Node, error) {
	tree, err := loadBased(root, name, baseKey, nil)
	if err != nil {
		return nil, err
	}
	return DecodeLiterals(tree), nil
}

func loadBased(root *source.Root, name, baseKey string, chain []string) (*Node, error) {
	for _, above := range chain {
		if above == name {
			return nil, fmt.Errorf("config %s: its bases lead back to it; break the chain", name)
		}
	}
	if len(chain) > maxChain {
		return nil, fmt.Errorf("config %s: %w: too many bases; shorten the chain", name, ErrLimit)
	}
	text, err := root.Read(name)
	if err != nil {
		return nil, err
	}
	own, err := ParseYAML(name, text, PyYAML)
	if err != nil {
		return nil, err
	}
	if own.Kind != Map {
		return NewMap(own.Origin), nil
	}
	base := own.Fields[baseKey]
	own.Drop(baseKey)
	var tree *Node
	for _, one := range alternatives(base) {
		if one.text() == "" {
			continue
		}
		file, inside := source.Clean(path.Join(path.Dir(name), one.text()))
		if strings.HasPrefix(one.text(), "~") || strings.Contains(one.text(), "://") || strings.HasPrefix(one.text(), "/") || !inside {
			return nil, &MissingConfigError{Choice: clip(one.text()), File: clip(one.text()), Origin: one.Origin}
		}
		below, err := loadBased(root, file, baseKey, append(chain[:len(chain):len(chain)], name))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, &MissingConfigError{Choice: clip(one.text()), File: file, Origin: one.Origin}
		}
		if err != nil {
			return nil, err
		}
		tree = Merge(tree, below, MergeOptions{})
	}
	return Merge(tree, own, MergeOptions{}), nil
}

func alternatives(n *Node) []*Node {
	switch {
	case n == nil:
		return nil
	case n.Kind == List:
		return n.Items
	}
	return []*Node{n}
}

// DecodeLiterals is a copy of a tree in which texts that are Python literals
// are their values, as yacs reads its files: "(800,)" is a list, "1e-4" a
// number.
func DecodeLiterals(tree *Node) *Node {
	decoded := tree.Clone()
	decoded.Walk(func(_ string, n *Node) bool {
		if n.Kind == String && n.Tag == "" && len(n.Text) < maxText {
			if v, ok := Literal(n.Text, n.Origin); ok {
				*n = *v
				return false
			}
		}
		return true
	})
	return decoded
}

// ApplyPairs sets the words "KEY VALUE KEY VALUE" of yacs on a tree, the last
// one strongest. Words "KEY=VALUE" count as a pair. A pair with a word that is
// not known is returned; its key, if known, becomes Unknown.
func ApplyPairs(tree *Node, words []Word) ([]Word, error) {
	var unknown []Word
	for i := 0; i < len(words); i++ {
		w := words[i]
		key, text, glued := strings.Cut(w.Text, "=")
		value := w
		if !glued {
			if i++; i == len(words) {
				return unknown, fmt.Errorf("override %s: it has no value; add one behind it", clip(w.Text))
			}
			value, text = words[i], words[i].Text
		}
		at := wordOrigin(value.Origin, key)
		if !w.Known {
			unknown = append(unknown, w)
			continue
		}
		node, literal := Literal(text, at)
		switch {
		case !value.Known:
			unknown = append(unknown, value)
			node = NotKnown("the word of the command is not known", at)
		case !literal:
			node = Text(text, at)
		}
		if err := tree.Set(key, node); err != nil {
			return unknown, fmt.Errorf("override %s: %w; correct the word", clip(key), err)
		}
	}
	return unknown, nil
}
