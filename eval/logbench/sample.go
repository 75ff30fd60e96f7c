package main

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// sample is a log as a job on a cluster prints it: two thirds progress of
// training, one third of what runs beside it. The same seed gives the same log.
func sample(lines int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	noise := []func() string{
		func() string {
			return fmt.Sprintf("node-%02d:%d:%d [%d] NCCL INFO Channel %02d/0 : %d[%d] -> %d[%d] [send] via NET/IB/%d", r.IntN(32), r.IntN(9999), r.IntN(9999), r.IntN(8), r.IntN(24), r.IntN(64), r.IntN(8), r.IntN(64), r.IntN(8), r.IntN(4))
		},
		func() string {
			return fmt.Sprintf("[loader] worker %d: opened shard %05d.tar (%.2f GiB) in %.2fs", r.IntN(16), r.IntN(2048), r.Float64()*2, r.Float64()*6)
		},
		func() string {
			return fmt.Sprintf("10.3.%d.%d - - \"GET /healthz HTTP/1.1\" 200 %d", r.IntN(255), r.IntN(255), r.IntN(99))
		},
		func() string {
			return fmt.Sprintf("saving checkpoint to /ckpt/run-%04x/step_%d took %.1f s", r.IntN(65536), r.IntN(100000), r.Float64()*30)
		},
		func() string {
			return "/opt/env/lib/python3.11/site-packages/torch/utils/data/dataloader.py:560: UserWarning: too many workers"
		},
		func() string {
			return fmt.Sprintf("|   %d  N/A  %dC    P0   %dW / 700W |  %5dMiB / 81559MiB |     %d%%      Default |", r.IntN(8), 40+r.IntN(40), 100+r.IntN(600), r.IntN(81559), r.IntN(100))
		},
	}
	var out []byte
	step := 0
	for range lines {
		if r.IntN(3) > 0 {
			step += 10
			out = fmt.Appendf(out, "2026-03-0%d %02d:%02d:%02d,%03d | INFO | train | step %7d/1000000 | loss %.4f | lr %.3e | grad norm %.3f | %.1f ms/step | %d tok/s\n",
				1+step/8640000, step/360000%24, step/6000%60, step/100%60, step%1000, step, 2+6*math.Exp(-float64(step)/3e5)+r.NormFloat64()*0.03, 3e-4, 1+r.Float64(), 250+r.NormFloat64()*4, 131000+r.IntN(900))
			continue
		}
		out = append(out, noise[r.IntN(len(noise))]()...)
		out = append(out, '\n')
	}
	return out
}
