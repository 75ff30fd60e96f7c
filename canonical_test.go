package schedmate_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"schedmate"
)

func canonical(t interface {
	Helper()
	Fatal(...any)
}, v any) string {
	t.Helper()
	b, err := schedmate.Canonical(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// One GPU of n1 is taken since instant 10, job 2 waits for two. The text is
// written by hand, the hash is that of
//
//	printf %s "$oneRunsOneWaits" | sha256sum
const (
	oneRunsOneWaits = `{"apiVersion":"schedmate/v1",` +
		`"cluster":{"nodes":[{"gpus":8,"id":"n1"}]},` +
		`"kind":"Snapshot","now_s":60,` +
		`"running":[{"attempt":{"allocations":[{"gpu":0,"node":"n1","share":1000}],"number":1,"start_s":10},"job":{"gpus":1,"id":"1","submit_s":0},"seq":0}],` +
		`"waiting":[{"job":{"gpus":2,"id":"2","submit_s":30,"user":"<é>"},"seq":1,"waited_s":30}]}`
	oneRunsOneWaitsHash = "10862d7657d86466c5449e1bc87aac60d7581e498a97b0605fefc7c24ba143d5"
)

func oneRunsOneWaitsSnapshot() *schedmate.Snapshot {
	return &schedmate.Snapshot{
		APIVersion: "schedmate/v1", Kind: "Snapshot", Now: 60,
		Cluster: schedmate.Cluster{Nodes: []schedmate.Node{{ID: "n1", GPUs: 8}}},
		Running: []*schedmate.JobStatus{{
			Job:     schedmate.Job{ID: "1", GPUs: 1},
			Attempt: &schedmate.Attempt{Number: 1, Start: 10, Allocations: []schedmate.Allocation{{Node: "n1", GPU: 0, Share: 1000}}},
		}},
		Waiting: []*schedmate.JobStatus{{Job: schedmate.Job{ID: "2", User: "<é>", GPUs: 2, Submit: 30}, Seq: 1, Waited: 30}},
	}
}

func TestCanonicalFormByHand(t *testing.T) {
	s := oneRunsOneWaitsSnapshot()
	if got := canonical(t, s); got != oneRunsOneWaits {
		t.Errorf("\n got %s\nwant %s", got, oneRunsOneWaits)
	}
	if got := schedmate.Hash(s); got != oneRunsOneWaitsHash {
		t.Errorf("the hash is %s, want %s", got, oneRunsOneWaitsHash)
	}
	if got := schedmate.Hash(*s); got != oneRunsOneWaitsHash {
		t.Errorf("the hash of the value is %s, that of the pointer %s", got, oneRunsOneWaitsHash)
	}
}

// Hashes by sha256sum.
func TestHashByHand(t *testing.T) {
	for _, tc := range []struct {
		v    any
		text string
		hash string
	}{
		{struct{}{}, "{}", "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"},
		{[]int{1, 2}, "[1,2]", "49a64717d5d4cb19952e6eac2946415cf6879adacf9908e7d872332d32c6e684"},
	} {
		if got := canonical(t, tc.v); got != tc.text {
			t.Errorf("%#v becomes %s, want %s", tc.v, got, tc.text)
		}
		if got := schedmate.Hash(tc.v); got != tc.hash {
			t.Errorf("%s has the hash %s, want %s", tc.text, got, tc.hash)
		}
	}
}

// Each rule of the form, with the text by hand.
func TestCanonicalRules(t *testing.T) {
	type optional struct {
		Z    int             `json:"z"`
		List []int           `json:"list"`
		Ptr  *int            `json:"ptr"`
		A    string          `json:"a,omitempty"`
		Map  map[string]*int `json:"map"`
	}
	one := 1
	for _, tc := range []struct {
		what string
		v    any
		want string
	}{
		{"members are sorted by name", map[string]int{"b": 2, "a": 1, "B": 0, "a.": 3}, `{"B":0,"a":1,"a.":3,"b":2}`},
		{"names are sorted as bytes", map[string]int{"\U0001F680": 1, "\uFFFD": 2, "é": 3, "f": 4}, `{"f":4,"é":3,"` + "\uFFFD" + `":2,"` + "\U0001F680" + `":1}`},
		{"members that are null are left out", map[string]any{"a": nil, "b": 1}, `{"b":1}`},
		{"members that are an empty list are left out", map[string]any{"a": []int{}, "b": 1}, `{"b":1}`},
		{"items of a list stay", []any{nil, []int{}, 1}, `[null,[],1]`},
		{"below a list as well", []any{map[string]any{"a": nil, "b": []any{map[string]any{"c": []int{}}}}}, `[{"b":[{}]}]`},
		{"empty objects stay", map[string]any{"a": map[string]any{"b": nil}}, `{"a":{}}`},
		{"a nil list", optional{}, `{"z":0}`},
		{"an empty list", optional{List: []int{}}, `{"z":0}`},
		{"an empty map is no list", optional{Map: map[string]*int{}}, `{"map":{},"z":0}`},
		{"0 and empty stay unless they are optional", optional{Ptr: new(int)}, `{"ptr":0,"z":0}`},
		{"given", optional{Z: -1, List: []int{0}, Ptr: &one, A: "x", Map: map[string]*int{"k": nil}}, `{"a":"x","list":[0],"map":{},"ptr":1,"z":-1}`},
		{"the largest integers", []any{int64(math.MaxInt64), int64(math.MinInt64), uint64(math.MaxUint64)}, `[9223372036854775807,-9223372036854775808,18446744073709551615]`},
		{"nothing is escaped for HTML", "<a href='x'>&</a>", `"<a href='x'>&</a>"`},
		{"what JSON must escape", "\"\\\b\f\n\r\t\x00\x1f", `"\"\\\b\f\n\r\t\u0000\u001f"`},
		{"line ends of JavaScript", "\u2028\u2029", `"\u2028\u2029"`},
		{"what it need not escape", "/\x7f\u0085é\uFEFF\uFFFD\U0001F680", "\"/\x7f\u0085é\uFEFF\uFFFD\U0001F680\""},
		{"the text of an escape", `\ufffd \\ufffd`, `"\\ufffd \\\\ufffd"`},
		{"true, false", []bool{true, false}, `[true,false]`},
	} {
		if got := canonical(t, tc.v); got != tc.want {
			t.Errorf("%s:\n got %s\nwant %s", tc.what, got, tc.want)
		}
	}
}

func TestCanonicalRefuses(t *testing.T) {
	for _, tc := range []struct {
		what, says string
		v          any
	}{
		{"a fraction", "0.5 has no canonical form", 0.5},
		{"a large float", "1e+21 has no canonical form", 1e21},
		{"a small float", "1e-7 has no canonical form", float32(1e-7)},
		{"an exponent written large", "1E5 has no canonical form", json.RawMessage("1E5")},
		{"a fraction deep inside", "0.25 has no canonical form", map[string]any{"a": []any{1, map[string]any{"b": 0.25}}}},
		{"infinity", "unsupported value", math.Inf(1)},
		{"no number", "unsupported value", math.NaN()},
		{"a channel", "unsupported type", make(chan int)},
		{"a function", "unsupported type", func() {}},
		{"Latin-1", "not UTF-8", "caf\xe9"},
		{"half of a surrogate pair", "not UTF-8", "\xed\xa0\xbd"},
		{"Latin-1 behind backslashes", "not UTF-8", `\\` + "\xe9"},
		{"Latin-1 behind the text of an escape", "not UTF-8", `\ufffd` + "\xe9"},
		{"Latin-1 in a name", "not UTF-8", map[string]int{"\xe9": 1}},
		{"Latin-1 in a job", "not UTF-8", schedmate.Job{ID: "\xe9", GPUs: 1}},
		{"a reason without a code", "no reason has the number 0", schedmate.Reason{Job: "1"}},
	} {
		b, err := schedmate.Canonical(tc.v)
		if err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: got %s and the error %v, want one that says %q", tc.what, b, err, tc.says)
		}
		mustPanic(t, "BUG: schedmate: ", func() { schedmate.Hash(tc.v) })
	}
}

// A list that is nil and one that is empty are the same to a reader, so they
// are the same to the hash: for every list of a snapshot, a plan and a job.
func TestNilAndEmptyListsAreAlike(t *testing.T) {
	for _, tc := range []struct {
		what       string
		nil, empty any
	}{
		{"snapshot", schedmate.Snapshot{}, schedmate.Snapshot{
			Cluster: schedmate.Cluster{Nodes: []schedmate.Node{}, VCs: []schedmate.VC{}},
			Waiting: []*schedmate.JobStatus{}, Running: []*schedmate.JobStatus{},
		}},
		{"status", schedmate.JobStatus{Attempt: &schedmate.Attempt{}}, schedmate.JobStatus{
			Facts: []schedmate.Fact{}, Attempt: &schedmate.Attempt{Allocations: []schedmate.Allocation{}},
		}},
		{"fact", schedmate.Fact{}, schedmate.Fact{Evidence: []schedmate.Evidence{}}},
		{"job", schedmate.Job{}, schedmate.Job{SLO: schedmate.SLO{Tiers: []schedmate.Tier{}}}},
		{"SLO", schedmate.SLO{Class: schedmate.BestEffort}, schedmate.SLO{Class: schedmate.BestEffort, Tiers: []schedmate.Tier{}}},
		{"plan", schedmate.Plan{}, schedmate.Plan{Actions: []schedmate.Action{}, Reasons: []schedmate.Reason{}}},
		{"action", schedmate.Action{}, schedmate.Action{Allocations: []schedmate.Allocation{}}},
		{"reason", schedmate.Reason{Code: 1}, schedmate.Reason{Code: 1, Blockers: []string{}, Nodes: []string{}, Change: schedmate.Change{
			Restore: []string{}, Release: []string{}, Hold: []string{},
		}}},
	} {
		if a, b := canonical(t, tc.nil), canonical(t, tc.empty); a != b {
			t.Errorf("%s: nil lists give %s, empty ones %s", tc.what, a, b)
		}
	}
	// A class without tiers is something that was asked for.
	if got, want := canonical(t, schedmate.Job{ID: "1", GPUs: 1, SLO: schedmate.SLO{Class: schedmate.BestEffort}}),
		`{"gpus":1,"id":"1","slo":{"class":"best_effort"},"submit_s":0}`; got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

// Every character of the first plane comes back, and some of each other plane.
func TestEveryCharacterRoundTrips(t *testing.T) {
	var text strings.Builder
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if utf8.ValidRune(r) && (r <= 0xFFFF || r%97 == 0 || r&0xFFFF >= 0xFFFE) {
			text.WriteRune(r)
		}
	}
	var back string
	if err := json.Unmarshal([]byte(canonical(t, text.String())), &back); err != nil {
		t.Fatal(err)
	}
	if back != text.String() {
		t.Error("some characters were lost")
	}
}

// drawTree draws any JSON value without fractions.
func drawTree(t *rapid.T, depth int) any {
	first := 0 // of the cases below
	if depth == 0 {
		first = 2
	}
	switch rapid.IntRange(first, 5).Draw(t, "kind") {
	case 2:
		return nil
	case 3:
		return rapid.Bool().Draw(t, "bool")
	case 4:
		return rapid.Int64().Draw(t, "number")
	case 5:
		return rapid.String().Draw(t, "text")
	case 0:
		list := make([]any, rapid.IntRange(0, 3).Draw(t, "items"))
		for i := range list {
			list[i] = drawTree(t, depth-1)
		}
		return list
	}
	object := make(map[string]any)
	for range rapid.IntRange(0, 4).Draw(t, "members") {
		object[rapid.String().Draw(t, "name")] = drawTree(t, depth-1)
	}
	return object
}

// spell writes the canonical form by its rules, letter by letter.
func spell(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case []any:
		var items []string
		for _, item := range v {
			items = append(items, spell(item))
		}
		return "[" + strings.Join(items, ",") + "]"
	case map[string]any:
		var members []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if list, ok := v[name].([]any); v[name] != nil && !(ok && len(list) == 0) {
				members = append(members, spell(name)+":"+spell(v[name]))
			}
		}
		return "{" + strings.Join(members, ",") + "}"
	case string:
		out := `"`
		for _, r := range v {
			switch {
			case r == '"' || r == '\\':
				out += `\` + string(r)
			case strings.ContainsRune("\b\f\n\r\t", r):
				out += `\` + string("bfnrt"[strings.IndexRune("\b\f\n\r\t", r)])
			case r < ' ' || r == 0x2028 || r == 0x2029:
				out += fmt.Sprintf(`\u%04x`, r)
			default:
				out += string(r)
			}
		}
		return out + `"`
	}
	panic(fmt.Sprintf("no rule for %T", v))
}

// The canonical form is what its rules spell, and it is its own canonical form.
func TestCanonicalIsAsSpelled(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tree := map[string]any{"a": drawTree(t, 3), "b": drawTree(t, 3), "c": drawTree(t, 3)}
		got := canonical(t, tree)
		if want := spell(tree); got != want {
			t.Fatalf("\n got %s\nwant %s", got, want)
		}
		if again := canonical(t, json.RawMessage(got)); again != got {
			t.Fatalf("the form of\n%s is\n%s", got, again)
		}
	})
}
