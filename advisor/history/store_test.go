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
		log, err := bolt.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		h, err := history.Open(context.Background(), log, nil, history.Retention{MaxRecords: 2})
		if err != nil {
			t.Fatal(err)
		}
		if h.Len() != day {
			t.Errorf("on day %d %d records are there", day, h.Len())
		}
		r := &history.Record{ID: string(rune('a' + day)), Print: print, EndS: 10, State: history.Completed, Progress: 1}
		if err := h.Append(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		forgotten, err := h.Prune(t.Context(), 20)
		if err != nil || forgotten != max(0, day-1) {
			t.Errorf("on day %d %d records were forgotten: %v", day, forgotten, err)
		}
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
