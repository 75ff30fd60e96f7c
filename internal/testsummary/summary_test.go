package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Each story is what go test says, shortened to what matters, and the report
// a person gets.
func TestStories(t *testing.T) {
	story := func(name, events, report string, want counts) {
		t.Helper()
		var out strings.Builder
		got, err := summarise(strings.NewReader(events), &out)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(strings.TrimLeft(report, "\n"), out.String()); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
		if got != want {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
	}

	story("a good day", `
{"Action":"start","Package":"m/a"}
{"Action":"run","Package":"m/a","Test":"TestGood"}
{"Action":"output","Package":"m/a","Test":"TestGood","Output":"=== RUN   TestGood\n"}
{"Action":"output","Package":"m/a","Test":"TestGood","Output":"chatty\n"}
{"Action":"output","Package":"m/a","Test":"TestGood","Output":"--- PASS: TestGood (0.00s)\n"}
{"Action":"pass","Package":"m/a","Test":"TestGood"}
{"Action":"output","Package":"m/a","Output":"PASS\n"}
{"Action":"output","Package":"m/a","Output":"ok  \tm/a\t0.006s\n"}
{"Action":"pass","Package":"m/a"}
{"Action":"output","Package":"m/c","Output":"?   \tm/c\t[no test files]\n"}
{"Action":"skip","Package":"m/c"}
`[1:], `
ok  	m/a	0.006s
?   	m/c	[no test files]
1 passed, 0 failed, 0 skipped
`, counts{passed: 1})

	story("skipped tests tell why", `
{"Action":"run","Package":"m/a","Test":"TestTraces"}
{"Action":"output","Package":"m/a","Test":"TestTraces","Output":"    a_test.go:4: no traces here: set SCHEDMATE_DATA\n"}
{"Action":"output","Package":"m/a","Test":"TestTraces","Output":"--- SKIP: TestTraces (0.00s)\n"}
{"Action":"skip","Package":"m/a","Test":"TestTraces"}
{"Action":"run","Package":"m/a","Test":"TestSilent"}
{"Action":"output","Package":"m/a","Test":"TestSilent","Output":"--- SKIP: TestSilent (0.00s)\n"}
{"Action":"skip","Package":"m/a","Test":"TestSilent"}
{"Action":"output","Package":"m/a","Output":"ok  \tm/a\t0.006s\n"}
{"Action":"pass","Package":"m/a"}
`[1:], `
ok  	m/a	0.006s
skipped: m/a.TestTraces: no traces here: set SCHEDMATE_DATA
skipped: m/a.TestSilent: no reason given
0 passed, 0 failed, 2 skipped
`, counts{skipped: 2})

	// One part of three fails. The test that groups them is no fourth failure;
	// a test that fails by itself beside a good part is one.
	story("parts fail", `
{"Action":"run","Package":"m/a","Test":"TestParts"}
{"Action":"run","Package":"m/a","Test":"TestParts/one"}
{"Action":"pass","Package":"m/a","Test":"TestParts/one"}
{"Action":"run","Package":"m/a","Test":"TestParts/two"}
{"Action":"output","Package":"m/a","Test":"TestParts/two","Output":"    a_test.go:5: two is wrong\n"}
{"Action":"output","Package":"m/a","Test":"TestParts/two","Output":"--- FAIL: TestParts/two (0.00s)\n"}
{"Action":"fail","Package":"m/a","Test":"TestParts/two"}
{"Action":"run","Package":"m/a","Test":"TestParts/three"}
{"Action":"skip","Package":"m/a","Test":"TestParts/three"}
{"Action":"output","Package":"m/a","Test":"TestParts","Output":"--- FAIL: TestParts (0.00s)\n"}
{"Action":"fail","Package":"m/a","Test":"TestParts"}
{"Action":"run","Package":"m/a","Test":"TestOwn"}
{"Action":"run","Package":"m/a","Test":"TestOwn/one"}
{"Action":"pass","Package":"m/a","Test":"TestOwn/one"}
{"Action":"output","Package":"m/a","Test":"TestOwn","Output":"    a_test.go:6: itself\n"}
{"Action":"fail","Package":"m/a","Test":"TestOwn"}
{"Action":"output","Package":"m/a","Output":"FAIL\n"}
{"Action":"output","Package":"m/a","Output":"FAIL\tm/a\t0.006s\n"}
{"Action":"fail","Package":"m/a"}
`[1:], `
m/a.TestParts/two failed:
    a_test.go:5: two is wrong
--- FAIL: TestParts/two (0.00s)
m/a.TestParts failed:
--- FAIL: TestParts (0.00s)
m/a.TestOwn failed:
    a_test.go:6: itself
FAIL	m/a	0.006s
skipped: m/a.TestParts/three: no reason given
2 passed, 2 failed, 1 skipped
`, counts{2, 2, 1})

	story("a package does not build", `
{"ImportPath":"m/b [m/b.test]","Action":"build-output","Output":"# m/b [m/b.test]\n"}
{"ImportPath":"m/b [m/b.test]","Action":"build-output","Output":"b/b.go:1:24: cannot use \"a\"\n"}
{"ImportPath":"m/b [m/b.test]","Action":"build-fail"}
{"Action":"output","Package":"m/b","Output":"FAIL\tm/b [build failed]\n"}
{"Action":"fail","Package":"m/b","FailedBuild":"m/b [m/b.test]"}
`[1:], `
FAIL	m/b [build failed]
# m/b [m/b.test]
b/b.go:1:24: cannot use "a"
0 passed, 1 failed, 0 skipped
`, counts{failed: 1})

	story("a process dies outside of any test", `
{"Action":"output","Package":"m/d","Output":"panic: boom\n"}
{"Action":"output","Package":"m/d","Output":"FAIL\tm/d\t0.007s\n"}
{"Action":"fail","Package":"m/d"}
`[1:], `
FAIL	m/d	0.007s
panic: boom
0 passed, 1 failed, 0 skipped
`, counts{failed: 1})

	story("go itself complains", "no Go files here\n", `
no Go files here
0 passed, 0 failed, 0 skipped
`, counts{})
}

// A test that writes without end in one line must not be taken for silence.
func TestTooLongLine(t *testing.T) {
	if _, err := summarise(strings.NewReader(strings.Repeat("x", 65<<20)), new(strings.Builder)); err == nil {
		t.Error("a line of 65 MiB was read without an error")
	}
}
