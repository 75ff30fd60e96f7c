package cli

import (
	"os"
	"os/user"
	"slices"
	"strconv"
	"testing"
)

// Who asks is who runs the command, whatever the environment says; a user without a
// name goes by the number.
func TestWhoAsks(t *testing.T) {
	me, err := user.Current()
	if err != nil || os.Getuid() < 0 {
		t.Skipf("skipped: this system has no numbers for users: %v", err)
	}
	t.Setenv("USER", "somebody-else")
	if got := asker(); got != me.Username {
		t.Errorf("asked by %q, want %q", got, me.Username)
	}
	uid := strconv.Itoa(os.Getuid())
	for _, who := range []string{me.Username, uid} {
		if got := spellings(who); !slices.Equal(got, []string{me.Username, uid}) {
			t.Errorf("%q may be called %q", who, got)
		}
	}
	if got := spellings("4294967001"); !slices.Equal(got, []string{"4294967001"}) {
		t.Errorf("a number without a name may be called %q", got)
	}
}
