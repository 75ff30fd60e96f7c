//go:build !race

package livetest

const raceFactor = 1
