//go:build race

package lineclass_test

func init() { shufflings = 1 } // the race detector makes training ten times slower
