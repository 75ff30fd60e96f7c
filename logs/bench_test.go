//go:build unix

package logs_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"

	"schedmate/logs"
)

// mixedLog is about a megabyte of what jobs print, near 100 bytes a line: plain
// records, bars, colours, JSON, Chinese, chatter of libraries.
func mixedLog() (text []byte, segments int) {
	r := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for step := 1; b.Len() < 1<<20; step++ {
		loss, lr := 2.5*r.Float64(), 3e-4*r.Float64()
		at := time.Date(2024, 5, 1, 10, 0, step, step*7919%1000*1e6, time.UTC)
		stamp := at.Format("2006-01-02 15:04:05,000")
		switch step % 10 {
		case 0, 1, 2:
			fmt.Fprintf(&b, "%s - INFO - trainer - epoch 3/10 iter %d/90000 loss %.4f lr %.3e grad_norm %.3f\n", stamp, step, loss, lr, 10*loss)
		case 3:
			fmt.Fprintf(&b, "[%s] [INFO] [engine.py:214:step] step=%d, skipped=0, lr=[%.6f, %.6f], mom=[(0.9, 0.95), (0.9, 0.95)]\n", stamp, step, lr, lr)
		case 4:
			for k := range 3 {
				fmt.Fprintf(&b, "\rEpoch 3: %3d%%|%s%s| %d/90000 [%02d:%02d<1:02:03,  %.2fit/s, loss=%.3f]", step%100, strings.Repeat("█", step%20), strings.Repeat(" ", 20-step%20), step+k, step/60%60, step%60, 1+loss, loss)
				segments++
			}
			b.WriteByte('\n')
			segments--
		case 5:
			fmt.Fprintf(&b, "{\"asctime\": \"%s\", \"level\": \"INFO\", \"step\": %d, \"loss\": %.5f, \"lr\": %.8f, \"step_time_ms\": %.1f}\n", stamp, step, loss, lr, 300+loss)
		case 6:
			fmt.Fprintf(&b, "\x1b[32m%s\x1b[0m | \x1b[1mINFO    \x1b[0m | \x1b[36mengine.loop\x1b[0m - \x1b[1mepoch 3/5 [%d/90] loss %.4f 6.02 it/s\x1b[0m\n", stamp, step%90, loss)
		case 7:
			fmt.Fprintf(&b, "%s 【训练】第 3 轮，第 %d/90000 步，损失：%.4f，学习率：%.2e，每步耗时 0.570 秒\n", stamp, step, loss, lr)
		case 8:
			fmt.Fprintf(&b, "trn-node-19:7878:4491 [0] NCCL INFO Channel %02d/0 : 3[3] -> 2[2] via P2P/IPC/read comm 0x%x nRanks 08\n", step%32, r.Uint32())
		case 9:
			fmt.Fprintf(&b, "/opt/conda/lib/python3.10/site-packages/torch/utils/data/dataloader.py:%d: UserWarning: this may be slow\n", 500+step%50)
		}
		segments++
	}
	return []byte(b.String()), segments
}

func cpuSeconds() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

// measure decodes the log b.N times and says what a second of one core does:
// other work on the machine does not count.
func measure(b *testing.B, text []byte, segments int, use func(*logs.Segment)) {
	seen := 0
	handle := func(s *logs.Segment) { seen++; use(s) }
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	b.ResetTimer()
	from := cpuSeconds()
	for range b.N {
		d := logs.NewDecoder(handle)
		for rest := text; len(rest) > 0; {
			n := min(64<<10, len(rest))
			d.Write(rest[:n], 0)
			rest = rest[n:]
		}
		d.Peek()
	}
	cpu := cpuSeconds() - from
	if seen != segments*b.N {
		b.Fatalf("%d segments, want %d", seen, segments*b.N)
	}
	b.ReportMetric(float64(seen)/cpu/1e6, "Mlines/cpu-s")
	b.ReportMetric(float64(len(text))*float64(b.N)/cpu/1e6, "MB/cpu-s")
}

func BenchmarkDecode(b *testing.B) {
	text, segments := mixedLog()
	measure(b, text, segments, func(*logs.Segment) {})
}

func BenchmarkDecodePlain(b *testing.B) {
	line := "2024-05-01 10:00:00,123 - INFO - trainer - epoch 3/10 iter 1234/90000 loss 0.4321 lr 3.000e-04 gn 1\n"
	measure(b, []byte(strings.Repeat(line, 10000)), 10000, func(*logs.Segment) {})
}

func BenchmarkDecodeContainer(b *testing.B) {
	line := "2024-05-01T10:00:00.123456789Z stdout F [rank3]: epoch 3/10 iter 1234/90000 loss 0.4321 lr 3.000e-04\n"
	measure(b, []byte(strings.Repeat(line, 10000)), 10000, func(*logs.Segment) {})
}

func BenchmarkDecodeDocker(b *testing.B) {
	line := `{"log":"\r\u001b[32m 10%|█| epoch 3/10 iter 1234/90000 loss 0.4321\u001b[0m\n","stream":"stdout","time":"2024-05-01T10:00:00.123456789Z"}` + "\n"
	measure(b, []byte(strings.Repeat(line, 10000)), 10000, func(*logs.Segment) {})
}

func BenchmarkDecodeTemplate(b *testing.B) {
	text, segments := mixedLog()
	var sum uint64
	measure(b, text, segments, func(s *logs.Segment) { sum += logs.Template(s.Text) })
}

func BenchmarkDecodeStampFields(b *testing.B) {
	text, segments := mixedLog()
	var fields []logs.Field
	measure(b, text, segments, func(s *logs.Segment) {
		stamp, _ := logs.FindStamp(s.Text)
		fields = logs.Fields(fields, s.Text, stamp)
	})
}
