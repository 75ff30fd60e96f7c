//go:build !race

package tracker

const underRaceDetector = false
