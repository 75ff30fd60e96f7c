package main

import (
	"fmt"
	"math"
	"os"
	"strings"
	"time"
)

// styles writes step n of total, which took a time, as each framework does.
var styles = map[string]func(n, total int, took time.Duration){
	"hf":        hf,
	"tqdm":      tqdm,
	"lightning": lightning,
	"megatron":  megatron,
	"keras":     keras,
}

// loss falls from 2.5 towards 0.5, with a little unrest.
func loss(n int) float64 {
	return 0.5 + 2*math.Exp(-float64(n)/200) + 0.02*math.Sin(float64(7*n))
}

func clock(d time.Duration) string {
	s := int(d.Seconds())
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%02d:%02d", s/60, s%60)
}

// bar draws a filled part of ten.
func bar(n, total int) string {
	full := 10 * n / total
	return strings.Repeat("█", full) + strings.Repeat(" ", 10-full)
}

func rate(took time.Duration) string {
	if took > time.Second {
		return fmt.Sprintf("%.2fs/it", took.Seconds())
	}
	return fmt.Sprintf("%.2fit/s", 1/took.Seconds())
}

// hf is the Trainer of Hugging Face: a dictionary at each logging step, and its bar
// on standard error.
func hf(n, total int, took time.Duration) {
	spent, rest := time.Duration(n)*took, time.Duration(total-n)*took
	fmt.Fprintf(os.Stderr, "\r%3d%%|%s| %d/%d [%s<%s, %s]", 100*n/total, bar(n, total), n, total, clock(spent), clock(rest), rate(took))
	if n%5 == 0 {
		fmt.Fprintln(os.Stderr)
		fmt.Printf("{'loss': %.4f, 'grad_norm': %.4f, 'learning_rate': %.4g, 'epoch': %.2f}\n",
			loss(n), 1+0.1*math.Sin(float64(n)), 5e-5*(1-float64(n)/float64(total)), 3*float64(n)/float64(total))
	}
}

// tqdm is a bar on standard error with the loss behind it.
func tqdm(n, total int, took time.Duration) {
	spent, rest := time.Duration(n)*took, time.Duration(total-n)*took
	fmt.Fprintf(os.Stderr, "\rtrain: %3d%%|%s| %d/%d [%s<%s, %s, loss=%.3f]",
		100*n/total, bar(n, total), n, total, clock(spent), clock(rest), rate(took), loss(n))
	if n == total {
		fmt.Fprintln(os.Stderr)
	}
}

// lightning counts the steps of an epoch from 1 again, 50 an epoch.
func lightning(n, total int, took time.Duration) {
	const perEpoch = 50
	epoch, in := (n-1)/perEpoch, (n-1)%perEpoch+1
	spent, rest := time.Duration(in)*took, time.Duration(perEpoch-in)*took
	fmt.Printf("\rEpoch %d: %3d%%|%s| %d/%d [%s<%s, %s, v_num=0, train_loss=%.3f]",
		epoch, 100*in/perEpoch, bar(in, perEpoch), in, perEpoch, clock(spent), clock(rest), rate(took), loss(n))
	if in == perEpoch || n == total {
		fmt.Println()
	}
}

// megatron is one long line an iteration.
func megatron(n, total int, took time.Duration) {
	fmt.Printf(" [%s] iteration %8d/%8d | consumed samples: %12d | elapsed time per iteration (ms): %.1f | learning rate: %E | global batch size: %5d | lm loss: %E | loss scale: 1.0 | grad norm: %.3f | number of skipped iterations:   0 | number of nan iterations:   0 |\n",
		time.Now().Format("2006-01-02 15:04:05"), n, total, 512*n, 1000*took.Seconds(), 1.5e-4*(1-float64(n)/float64(total)), 512, loss(n), 1+0.1*math.Sin(float64(n)))
}

// keras counts 20 batches an epoch and overwrites its line.
func keras(n, total int, took time.Duration) {
	const perEpoch = 20
	epoch, in := (n-1)/perEpoch+1, (n-1)%perEpoch+1
	if in == 1 {
		fmt.Printf("Epoch %d/%d\n", epoch, (total+perEpoch-1)/perEpoch)
	}
	full := 20 * in / perEpoch
	fmt.Printf("\r%2d/%d [%s>%s] - %ds %dms/step - loss: %.4f - accuracy: %.4f",
		in, perEpoch, strings.Repeat("=", full), strings.Repeat(".", 20-full), int(time.Duration(in)*took/time.Second), took.Milliseconds(), loss(n), 1-loss(n)/3)
	if in == perEpoch || n == total {
		fmt.Println()
	}
}
