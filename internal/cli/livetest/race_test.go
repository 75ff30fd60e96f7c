//go:build race

package livetest

// raceFactor is how many times as much memory a program takes with the race detector.
const raceFactor = 10
