package history

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedmate/advisor/fingerprint"
)

func TestAccountingIsImported(t *testing.T) {
	csv := "user,id,state,submit_s,start_s,end_s,gpus,partition,job_name\nann,7,COMPLETED,10,20,50,8,gpu,train\nbob,8,CANCELLED by 1000,10,20,30,,cpu,\n"
	records, err := ReadCSV("jobs.csv", strings.NewReader(csv))
	if err != nil {
		t.Fatal(err)
	}
	want := []*Record{
		{ID: "7", User: "ann", JobName: "train", State: Completed, SubmitS: 10, StartS: 20, EndS: 50, Progress: 1, Request: Request{GPUs: 8}},
		{ID: "8", User: "bob", State: Cancelled, SubmitS: 10, StartS: 20, EndS: 30, Progress: -1},
	}
	if diff := cmp.Diff(want, records); diff != "" {
		t.Error(diff)
	}
}

func TestBadAccountingIsRefusedByLine(t *testing.T) {
	header := "id,user,state,submit_s,start_s,end_s\n"
	for text, want := range map[string]string{
		"id,user\n":                              "jobs.csv:1: column state is missing",
		header + "7,ann,COMPLETED,soon,20,50\n":  `jobs.csv:2: column submit_s: "soon" is no number`,
		header + "7,ann,RUNNING,10,20,50\n":      `jobs.csv:2: job "7": end state "RUNNING"`,
		header + "7,ann,COMPLETED,30,20,50\n":    "must be in this order",
		header + "7,ann,COMPLETED,10,20,50,60\n": "wrong number of fields",
		"":                                       "the first line must name the columns",
	} {
		if _, err := ReadCSV("jobs.csv", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}

func TestExportAndImportAreInverse(t *testing.T) {
	want := []*Record{ended("a", work("resnet-50", 90), 100), ended("b", fingerprint.Print{}, 120)}
	var file bytes.Buffer
	h := open(t, &memory{}, Retention{})
	keep(t, h, want...)
	if err := h.WriteJSONL(&file); err != nil {
		t.Fatal(err)
	}
	got, err := ReadJSONL("export.jsonl", &file)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
}

func TestARecordOfALaterVersionIsRefused(t *testing.T) {
	if _, err := Decode([]byte(`{"v":9,"id":"a"}`)); err == nil || !strings.Contains(err.Error(), "version 9") {
		t.Errorf("got %v", err)
	}
}

func FuzzReadCSV(f *testing.F) {
	f.Add("id,user,state,submit_s,start_s,end_s\n7,ann,COMPLETED,10,20,50\n")
	f.Fuzz(func(t *testing.T, text string) {
		records, err := ReadCSV("x", strings.NewReader(text))
		if err != nil {
			return
		}
		for _, r := range records {
			if _, err := Encode(r); err != nil {
				t.Fatal(err)
			}
		}
	})
}
