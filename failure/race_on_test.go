//go:build race

package failure

import "flag"

// The race detector makes matching some fifteen times slower: hostile logs are
// shorter under it, and properties are tried on fewer cases, from every tenth rule.
const (
	hostileScale = 100
	sampleEvery  = 10
)

func init() {
	if err := flag.Set("rapid.checks", "15"); err != nil {
		panic(err)
	}
}
