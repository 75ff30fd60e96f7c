//go:build !race

package failure

// How much shorter hostile logs are, and of which rules properties draw samples.
const (
	hostileScale = 1
	sampleEvery  = 1
)
