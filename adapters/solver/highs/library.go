package highs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// The versions that are taken; 1.10.0 to 1.15.1 were tried on the rounds whose
// optima are known.
const (
	oldestMinor = 10
	major       = 1
)

// Library is a HiGHS library that has been loaded.
type Library struct {
	path, version string
	f             *functions
	calls         chan func()
}

// Open takes the first candidate that is a library which can be used. If none is,
// the error names those that are not there, and says of the others what is wrong.
func Open(candidates []string) (*Library, error) {
	var absent, wrong []string
	for _, path := range candidates {
		l, err := open(path)
		switch {
		case err == nil:
			return l, nil
		case isAbsent(path, err):
			absent = append(absent, path)
		default:
			wrong = append(wrong, err.Error())
		}
	}
	if len(absent) > 0 {
		wrong = append(wrong, "there is no "+strings.Join(absent, ", no "))
	}
	if len(wrong) == 0 {
		wrong = append(wrong, "no place to look for it")
	}
	return nil, fmt.Errorf("no HiGHS library: %s: %s", strings.Join(wrong, "; "), Next)
}

// isAbsent reports whether a candidate is not there at all, by what the loader
// says of a bare name. Else the loader may miss another library that it needs.
func isAbsent(path string, err error) bool {
	if filepath.IsAbs(path) {
		_, err := os.Stat(path)
		return errors.Is(err, fs.ErrNotExist)
	}
	text := err.Error()
	return strings.Contains(text, path+": cannot open shared object file: No such file") || // Linux
		strings.HasPrefix(text, "dlopen("+path) && strings.Contains(text, "no such file") // macOS
}

func open(path string) (*Library, error) {
	f, err := bind(path)
	if err != nil {
		return nil, err
	}
	l := &Library{path: path, version: f.version(), f: f, calls: make(chan func())}
	if err := supported(l.version); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if size := f.sizeOfInt(0); size != 4 {
		return nil, fmt.Errorf("%s: was built with integers of %d bytes, and 4 are needed", path, size)
	}
	go l.serve()
	return l, nil
}

// supported refuses versions whose functions or options may differ.
func supported(version string) error {
	first, rest, _ := strings.Cut(version, ".")
	second, _, _ := strings.Cut(rest, ".")
	m, err1 := strconv.Atoi(first)
	n, err2 := strconv.Atoi(second)
	if err := errors.Join(err1, err2); err != nil {
		return fmt.Errorf("its version %q is no number", version)
	}
	if m != major || n < oldestMinor {
		return fmt.Errorf("is HiGHS %s: %d.%d or a later %d.x is needed", version, major, oldestMinor, major)
	}
	return nil
}

// serve makes all calls from one thread: HiGHS keeps its scheduler by thread.
func (l *Library) serve() {
	runtime.LockOSThread()
	for call := range l.calls {
		call()
	}
	l.f.endThreads(1)
}

// Close ends the library's thread. The library itself stays loaded. No call may
// be under way or follow.
func (l *Library) Close() { close(l.calls) }

// Name and version, such as "highs 1.10.0".
func (l *Library) Name() string { return "highs " + l.version }

// Path is where the library was found.
func (l *Library) Path() string { return l.path }
