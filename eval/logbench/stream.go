package main

import (
	"fmt"
	"io"
	"time"

	"schedmate/logs/series"
	"schedmate/tracker"
)

// stream measures reading the progress at the end of a log of the given size:
// as a file, of which only head and tail are read, and as a pipe, which must be
// read from end to end.
func stream(size int64) error {
	block := sample(60_000)
	log := repeated{block: block, size: size}
	cpu0, _ := usage()
	begin := time.Now()
	state, read, err := tracker.ReadTail(log, size, series.DefaultLimits)
	if err != nil {
		return err
	}
	p, _ := state.Progress()
	cpu1, peak := usage()
	fmt.Printf("tail of a file of %.1f GB: %.1f ms (%.1f ms CPU), %d bytes read, step %v, peak %.0f MB\n",
		float64(size)/1e9, float64(time.Since(begin).Microseconds())/1e3, float64((cpu1-cpu0).Microseconds())/1e3, read, value(p.Step), peak)

	cpu0, _ = usage()
	end := &atEnd{Reader: io.NewSectionReader(log, 0, size)}
	state, read, err = tracker.ReadStream(end, series.DefaultLimits)
	if err != nil {
		return err
	}
	p, _ = state.Progress()
	cpu1, peak = usage()
	fmt.Printf("stream of %.1f GB: %.1f s CPU (%.2f GB/s), answer %.1f ms after its end, step %v on line %d, peak %.0f MB\n",
		float64(read)/1e9, (cpu1 - cpu0).Seconds(), float64(read)/1e9/(cpu1-cpu0).Seconds(), float64(time.Since(end.at).Microseconds())/1e3, value(p.Step), line(p.Step), peak)
	return nil
}

// repeated is a log of any length without the memory for it.
type repeated struct {
	block []byte
	size  int64
}

func (r repeated) ReadAt(p []byte, off int64) (int, error) {
	n := 0
	for n < len(p) && off < r.size {
		from := off % int64(len(r.block))
		take := copy(p[n:], r.block[from:min(int64(len(r.block)), from+r.size-off)])
		n += take
		off += int64(take)
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// atEnd notes when its reader came to the end.
type atEnd struct {
	io.Reader
	at time.Time
}

func (e *atEnd) Read(p []byte) (int, error) {
	n, err := e.Reader.Read(p)
	if err == io.EOF {
		e.at = time.Now()
	}
	return n, err
}
