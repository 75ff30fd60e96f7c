package report

import "fmt"

// split is the mean JCT of one series, cut into its two parts: the time in the
// queue, including waits after preemptions, and the time on GPUs.
type split struct {
	*series
	JCT, Queue, Work string // for people
	QueueAt, WorkAt  string // lengths, per cent of the longest bar
}

// splits returns the bars of the first figure, the shortest first.
func splits(all []*series) []split {
	ranked := byMeanJCT(all)
	longest, ok := 0.0, false
	for _, s := range ranked {
		if v, some := mean(s.jct); some {
			longest, ok = max(longest, v), true
		}
	}
	if !ok {
		return nil
	}
	var bars []split
	for _, s := range ranked {
		b := split{series: s, JCT: none, Queue: none, Work: none, QueueAt: "0", WorkAt: "0"}
		if jct, some := mean(s.jct); some {
			queue, _ := mean(s.queue)
			b.JCT, b.Queue, b.Work = Duration(jct), Duration(queue), Duration(jct-queue)
			if longest > 0 {
				b.QueueAt, b.WorkAt = at(queue/longest), at((jct-queue)/longest)
			}
		}
		bars = append(bars, b)
	}
	return bars
}

func (s split) Desc() string {
	return fmt.Sprintf("%s: mean JCT %s, of which %s in the queue and %s on GPUs.", s.Label, s.JCT, s.Queue, s.Work)
}
