package main

import (
	"fmt"

	"schedmate/logs"
	"schedmate/logs/lineclass"
)

// filter measures decoding with classing through the template cache.
func filter(lines int) error {
	block := min(lines, 300_000)
	log := sample(block)
	n, progress := 0, 0
	classifier := lineclass.New(lineclass.Options{})
	decoder := logs.NewDecoder(func(seg *logs.Segment) {
		n++
		if class, _ := classifier.Classify(seg.Text); class == lineclass.ProgressMetric {
			progress++
		}
	})
	decoder.Write(log, 0) // the model is trained at the first line
	n, progress = 0, 0
	cpu0, _ := usage()
	for n < lines {
		decoder.Write(log, 0)
	}
	cpu1, peak := usage()
	fmt.Printf("filter (decoding and classing): %.2f M lines/s a core, %.0f MB/s, %.0f%% of the lines progress, peak %.0f MB\n",
		float64(n)/(cpu1-cpu0).Seconds()/1e6, float64(n)/float64(block)*float64(len(log))/(cpu1-cpu0).Seconds()/1e6, 100*float64(progress)/float64(n), peak)
	return nil
}
