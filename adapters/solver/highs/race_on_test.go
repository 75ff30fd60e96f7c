//go:build race

package highs_test

const raceDetector = true
