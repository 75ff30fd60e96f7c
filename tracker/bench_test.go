package tracker_test

import (
	"testing"

	"schedmate/tracker"
)

// Reading a log in chunks of 32 kB, as a follower does.
func BenchmarkWrite(b *testing.B) {
	for name, log := range map[string][]byte{"busy": []byte(busyLog(20_000)), "plain": []byte(text(mustPrint(b, steady(20_000), stamped[0])))} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(log)))
			for b.Loop() {
				s := tracker.New(tracker.FollowLimits)
				for rest := log; len(rest) > 0; {
					n := min(len(rest), 32<<10)
					s.Write(rest[:n], 0)
					rest = rest[n:]
				}
			}
		})
	}
}

// Asking for the progress of a followed log.
func BenchmarkProgress(b *testing.B) {
	s := tracker.New(tracker.FollowLimits)
	s.Write([]byte(busyLog(20_000)), 0)
	b.ReportAllocs()
	for b.Loop() {
		s.Progress()
	}
}
