// Package place finds GPUs for a gang.
//
// All placements here are consolidated: a gang that fits on one node gets one
// node, a larger one gets as few nodes as its size allows, and if that is not
// possible now, it waits rather than spreads.
package place
