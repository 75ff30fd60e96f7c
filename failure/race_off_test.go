//go:build !race

package failure

// hostileScale divides the size of hostile logs.
const hostileScale = 1
