//go:build !race

package milp_test

const raceDetector = false
