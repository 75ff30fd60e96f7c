package cli

import (
	"os"
	"os/user"
	"strconv"
)

// asker is the name of who runs the command, or the number where it has no name here.
// The environment is not asked: it may be another user's.
func asker() string {
	uid := os.Getuid()
	if uid < 0 { // no such numbers on this system
		if u, err := user.Current(); err == nil {
			return u.Username
		}
		return ""
	}
	return spellings(strconv.Itoa(uid))[0]
}

// spellings are what a user may be called in a record: by the name, first, and by the
// number. Schedulers tell the number where they do not know the name.
func spellings(who string) []string {
	if u, err := user.Lookup(who); err == nil {
		return []string{u.Username, u.Uid}
	}
	if u, err := user.LookupId(who); err == nil {
		return []string{u.Username, u.Uid}
	}
	return []string{who}
}
