package main

import (
	"fmt"

	"schedmate/logs"
)

// filter measures decoding with classing through the template cache.
func filter(lines int) error {
	log := sample(min(lines, 300_000))
	n := 0
	decoder := logs.NewDecoder(func(seg *logs.Segment) {
		n++
		logs.Template(seg.Text)
	})
	cpu0, _ := usage()
	for n < lines {
		decoder.Write(log, 0)
	}
	cpu1, peak := usage()
	fmt.Printf("filter: %.2f M lines/s a core, %.0f MB/s, peak %.0f MB\n",
		float64(n)/(cpu1-cpu0).Seconds()/1e6, float64(decoder.Offset())/(cpu1-cpu0).Seconds()/1e6, peak)
	return nil
}
