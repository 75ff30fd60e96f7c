package scheduler_test

import (
	"flag"
	"os"
	"testing"
)

// More draws than rapid makes by default: odd clusters are rare among them.
func TestMain(m *testing.M) {
	flag.Parse()
	if f := flag.Lookup("rapid.checks"); f.Value.String() == f.DefValue {
		_ = f.Value.Set("2000")
	}
	os.Exit(m.Run())
}
