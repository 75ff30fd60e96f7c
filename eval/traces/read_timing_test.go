package traces

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// A million rows, the size of the largest public logs after their CPU jobs.

func BenchmarkRead_Philly_1M(b *testing.B) {
	benchmark(b, "philly", "job_id,arrival_s,num_gpus,duration_s\n", func(i int) string {
		return fmt.Sprintf("%d,%d,%d,%d\n", i, i*10, 1<<(i%5), 1+i%100000)
	})
}

func BenchmarkRead_PhillyUnsorted_1M(b *testing.B) {
	benchmark(b, "philly", "timestamp,duration,num_gpus,vc\n", func(i int) string {
		return fmt.Sprintf("2017-10-%02d %02d:%02d:%02d,%d.0,%d,vc%d\n", 1+i*7%28, i*5%24, i*11%60, i*13%60, 1+i%100000, 1<<(i%5), i%15)
	})
}

func BenchmarkRead_Chronus_1M(b *testing.B) {
	benchmark(b, "chronus", chronusHeader, func(i int) string {
		return fmt.Sprintf("%d,vc_%d,%d,%d,5530,mobilenet_v2,%d,5,159-189-229-289,10-8-5-2,0,soft\n", i, i%11, 1<<(i%5), i/2, 20+i%4000)
	})
}

func BenchmarkRead_LucidWithFacts_1M(b *testing.B) {
	benchmark(b, "lucid", "job_id,gpu_num,submit_s,duration,estimate_s,model,dataset,batchsize,amp,speed,gpu_util,gmem_util,gmem\n", func(i int) string {
		return fmt.Sprintf("p%d,%d,%d,%d,%d,ResNet18,CIFAR-10,128,0,4903.86,96.25,67.0,3072.0\n", i, 1<<(i%5), i*10, 1+i%100000, 1+i%90000)
	})
}

func benchmark(b *testing.B, f Format, header string, row func(int) string) {
	var text strings.Builder
	text.WriteString(header)
	for i := range 1_000_000 {
		text.WriteString(row(i))
	}
	data := zipped(b, text.String())
	b.ReportAllocs()
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		if _, err := Read(bytes.NewReader(data), "bench.csv.gz", f); err != nil {
			b.Fatal(err)
		}
	}
}
