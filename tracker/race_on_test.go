//go:build race

package tracker

// Simulations are shorter under the race detector.
const underRaceDetector = true
