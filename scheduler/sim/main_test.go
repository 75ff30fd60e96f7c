package sim_test

import (
	"flag"
	"os"
	"testing"
)

// More draws than rapid makes by default, because each draws one policy of many.
func TestMain(m *testing.M) {
	flag.Parse()
	if f := flag.Lookup("rapid.checks"); f.Value.String() == f.DefValue {
		_ = f.Value.Set("1000")
	}
	os.Exit(m.Run())
}
