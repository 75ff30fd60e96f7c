package pyeval

import (
	"fmt"
	"strings"
	"testing"
)

// modelFile is a file such as model zoos hold: many small functions.
func modelFile(functions int) []byte {
	var b strings.Builder
	b.WriteString("import torch.nn as nn\n")
	for i := range functions {
		fmt.Fprintf(&b, `
@register_model
def net_%d(pretrained=False, **kwargs):
    """A network with %d blocks."""
    args = dict(dim=%d, depth=[2, 2, 6, 2], act=nn.GELU, eps=1e-6)  # as published
    return _create("net_%d", pretrained=pretrained, **dict(args, **kwargs))
`, i, i, 64+i, i)
	}
	return []byte(b.String())
}

func BenchmarkParse(b *testing.B) {
	text := modelFile(1000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := parse(text); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseKept(b *testing.B) {
	text := modelFile(1000)
	b.SetBytes(int64(len(text)))
	store := &treeStore{limit: 8 * len(text), trees: map[[32]byte]*node{}}
	for b.Loop() {
		if _, err := store.parse(text); err != nil {
			b.Fatal(err)
		}
	}
}
