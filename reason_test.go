package schedmate_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"schedmate"
)

// The codes in the order of precedence, as documented: what concerns the whole
// cluster, the quota, the nodes that are out, what is in use, the queue.
var codes = []struct {
	code schedmate.ReasonCode
	name string
}{
	{schedmate.ExceedsCluster, "exceeds_cluster"},
	{schedmate.ExceedsQuota, "exceeds_quota"},
	{schedmate.NodesUnavailable, "nodes_unavailable"},
	{schedmate.QuotaUsed, "quota_used"},
	{schedmate.NotEnoughFree, "not_enough_free"},
	{schedmate.Fragmented, "fragmented"},
	{schedmate.BehindInQueue, "behind_in_queue"},
	{schedmate.HeldBack, "held_back"},
}

func TestReasonCodes(t *testing.T) {
	for i, c := range codes {
		if int(c.code) != i+1 {
			t.Errorf("%s has the number %d, its place is %d", c.name, uint8(c.code), i+1)
		}
		if got := c.code.String(); got != c.name {
			t.Errorf("code %d prints as %s, want %s", i+1, got, c.name)
		}
		text, err := c.code.MarshalText()
		if err != nil || string(text) != c.name {
			t.Errorf("code %d is written as %q (%v), want %s", i+1, text, err, c.name)
		}
		var back schedmate.ReasonCode
		if err := back.UnmarshalText([]byte(c.name)); err != nil || back != c.code {
			t.Errorf("%s is read as %v (%v)", c.name, back, err)
		}
	}
	// The next number is not taken: the list above is complete.
	for _, none := range []schedmate.ReasonCode{0, schedmate.ReasonCode(len(codes) + 1), 255} {
		if text, err := none.MarshalText(); err == nil {
			t.Errorf("the number %d is written as %s", uint8(none), text)
		}
		if got := none.String(); !strings.HasPrefix(got, "reason(") {
			t.Errorf("the number %d prints as %s", uint8(none), got)
		}
	}
}

func TestUnknownReasonNamesAreRefused(t *testing.T) {
	for _, name := range []string{"", "EXCEEDS_CLUSTER", "exceeds-cluster", "exceeds_cluster ", "1", "reason(1)"} {
		code := schedmate.Fragmented
		if err := code.UnmarshalText([]byte(name)); err == nil || !strings.Contains(err.Error(), "unknown reason") {
			t.Errorf("%q is read as %v (%v)", name, code, err)
		}
		if code != schedmate.Fragmented {
			t.Errorf("%q was refused and yet changed the code to %v", name, code)
		}
	}
}

func TestReasonIsWrittenByName(t *testing.T) {
	r := schedmate.Reason{Job: "1", Code: schedmate.QuotaUsed, Need: 4, Free: 2, Short: 2, Limit: 6}
	const want = `{"change":{},"code":"quota_used","free":2,"job":"1","limit":6,"need":4,"short":2}`
	text := canonical(t, r)
	if text != want {
		t.Errorf("\n got %s\nwant %s", text, want)
	}
	var back schedmate.Reason
	if err := json.Unmarshal([]byte(text), &back); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(back, r) {
		t.Errorf("%+v came back as %+v", r, back)
	}
}

// A change is empty only if each of its fields is.
func TestChangeIsEmpty(t *testing.T) {
	var c schedmate.Change
	if !c.Empty() {
		t.Error("no change is not empty")
	}
	c = schedmate.Change{Restore: []string{}, Release: []string{}, Hold: []string{}}
	if !c.Empty() {
		t.Error("a change with empty lists is not empty")
	}
	full := reflect.ValueOf(filled[schedmate.Change]()).Elem()
	for i := range full.NumField() {
		var one schedmate.Change
		reflect.ValueOf(&one).Elem().Field(i).Set(full.Field(i))
		if one.Empty() {
			t.Errorf("a change of %s is empty", full.Type().Field(i).Name)
		}
	}
}
