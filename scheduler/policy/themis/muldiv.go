package themis

import (
	"math"
	"math/bits"
)

// mulDiv returns a * b / c rounded down, for a, b >= 0 and c > 0; what does not
// fit into half an int64 is cut to that.
func mulDiv(a, b, c int64) int64 {
	const most = math.MaxInt64 / 2
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi >= uint64(c) {
		return most
	}
	q, _ := bits.Div64(hi, lo, uint64(c))
	return int64(min(q, most))
}
