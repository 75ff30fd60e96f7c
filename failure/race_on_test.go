//go:build race

package failure

// hostileScale divides the size of hostile logs: the race detector makes reading
// some ten times slower.
const hostileScale = 10
