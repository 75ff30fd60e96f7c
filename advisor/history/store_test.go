package history_test

import (
	"context"
	"path/filepath"
	"testing"

	"schedmate/adapters/store/bolt"
	"schedmate/advisor/fingerprint"
	"schedmate/advisor/history"
	"schedmate/advisor/workload"
)

func TestAHistoryInAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "history.db")
	print := fingerprint.New(fingerprint.Canonical{workload.ModelName: fingerprint.Words("resnet-50"), workload.Dataset: fingerprint.Words("imagenet")}, "")
	for day := range 3 { // the program is started three times
		store, err := bolt.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		h, err := history.Open(context.Background(), history.Over[*bolt.Tx](store), nil, history.Retention{MaxRecords: 2})
		if err != nil {
			t.Fatal(err)
		}
		if n, err := h.Len(); err != nil || n != day {
			t.Errorf("on day %d %d records are there: %v", day, n, err)
		}
		r := &history.Record{ID: string(rune('a' + day)), Print: print, EndS: 10, State: history.Completed, Progress: 1}
		if _, err := h.Append(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		forgotten, err := h.Prune(t.Context(), 20)
		if err != nil || forgotten != max(0, day-1) {
			t.Errorf("on day %d %d records were forgotten: %v", day, forgotten, err)
		}
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
