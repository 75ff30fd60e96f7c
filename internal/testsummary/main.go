// Command testsummary runs "go test" with its arguments and reports in short:
// one line a package, the full output of what failed, every skipped test with
// its reason, and at the end
//
//	N passed, N failed, N skipped
//
// A test that only groups sub-tests is not counted beside them. The exit code
// is 1 if anything failed.
package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
)

func main() {
	failed, err := run(os.Args[1:], os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "testsummary:", err)
	}
	if failed || err != nil {
		os.Exit(1)
	}
}

func run(args []string, w io.Writer) (failed bool, err error) {
	test := exec.Command("go", append([]string{"test", "-json"}, args...)...)
	test.Stderr = os.Stderr
	events, err := test.StdoutPipe()
	if err != nil {
		return false, fmt.Errorf("connect to go test: %w", err)
	}
	if err := test.Start(); err != nil {
		return false, fmt.Errorf("start go test: %w: is go in the PATH?", err)
	}
	total, err := summarise(events, w)
	if err != nil {
		io.Copy(io.Discard, events) // let it end
	}
	// Its exit code counts too: it may have failed before the first event.
	if exit := test.Wait(); exit != nil && total.failed == 0 && err == nil {
		return true, fmt.Errorf("go test: %w", exit)
	}
	return total.failed > 0, err
}
