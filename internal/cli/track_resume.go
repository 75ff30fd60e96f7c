package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"schedmate/logs/follow"
)

// savedRecords is where a process that follows logs keeps how far it came. One
// process at a time has it.
type savedRecords struct {
	path    string
	lock    *os.File
	records []follow.Record // of the process before
}

// openRecords opens the records of a name in a folder, which is made if need be.
func openRecords(folder, name string) (*savedRecords, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("keep records for --resume %s: %w: set SCHEDMATE_STATE to a folder that can be written", name, err)
	}
	s := &savedRecords{path: filepath.Join(folder, name+".json")}
	var err error
	if s.lock, err = os.OpenFile(filepath.Join(folder, name+".lock"), os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return nil, fmt.Errorf("keep records for --resume %s: %w: set SCHEDMATE_STATE to a folder that can be written", name, err)
	}
	if err := lockFile(s.lock); err != nil {
		s.lock.Close()
		return nil, fmt.Errorf("lock %s: %w: another process follows under --resume %s; give this one another name", s.lock.Name(), err, name)
	}
	s.records, err = follow.LoadRecords(s.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.close()
		return nil, err
	}
	return s, nil
}

func (s *savedRecords) save(records []follow.Record) error {
	return follow.SaveRecords(s.path, records)
}

// close lets another process have the records.
func (s *savedRecords) close() { s.lock.Close() }
