package tracker

import (
	"bytes"
	"io"
	"testing"

	"pgregory.net/rapid"

	"schedmate/logs/series"
)

// A stream and a file with the same bytes give the same answer with the same
// lines, whatever their length.
func TestAStreamIsReadLikeAFile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var log bytes.Buffer
		long := rapid.IntRange(0, 12000).Draw(t, "records")
		for i := range long {
			step := i * 10
			for range rapid.IntRange(0, 2).Draw(t, "noise") {
				log.WriteString("[loader] opened another shard of the data set\n")
			}
			log.WriteString("step ")
			log.WriteString(itoa(step))
			log.WriteString(" loss 2.")
			log.WriteString(itoa(1000 + (i*7919)%8999))
			log.WriteString(" time 0.25s\n")
		}
		data := log.Bytes()
		file, _, err := ReadTail(bytes.NewReader(data), int64(len(data)), series.DefaultLimits)
		if err != nil {
			t.Fatal(err)
		}
		stream, n, err := ReadStream(io.MultiReader(bytes.NewReader(data[:len(data)/3]), bytes.NewReader(data[len(data)/3:])), series.DefaultLimits)
		if err != nil {
			t.Fatal(err)
		}
		if n != int64(len(data)) {
			t.Fatalf("read %d bytes of %d", n, len(data))
		}
		a, _ := file.Progress()
		b, _ := stream.Progress()
		if a.Trackable != b.Trackable {
			t.Fatalf("file trackable %v, stream %v", a.Trackable, b.Trackable)
		}
		if !a.Trackable {
			return
		}
		if *a.Step != *b.Step {
			t.Fatalf("file %+v, stream %+v", *a.Step, *b.Step)
		}
		want := int64(bytes.Count(data, []byte{'\n'}))
		if b.Step.Line != want {
			t.Fatalf("the last record is on line %d, the stream says %d", want, b.Step.Line)
		}
	})
}

// Lines are counted of any stretch that ends in the tail, also when more was dropped
// before it than is kept.
func TestAStretchOfTheTailHasNoLinesOfWhatIsLost(t *testing.T) {
	b := newTailBuffer(64, 4*blockBytes)
	line := []byte("0123456789abcde\n") // 16 bytes
	for range 20 * blockBytes / len(line) {
		if _, err := b.Write(line); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ from, length, want int64 }{
		{64, b.size - 64, b.size/16 - 4}, // all but the head
		{b.size - 160, 160, 10},          // the last ten lines
		{b.dropped, 320, 20},             // where the tail begins
	} {
		if got, err := b.lines(c.from, c.length); err != nil || got != c.want {
			t.Errorf("%d bytes from %d hold %d lines, counted %d (%v)", c.length, c.from, c.want, got, err)
		}
	}
}

func itoa(n int) string {
	var digits []byte
	for {
		digits = append([]byte{byte('0' + n%10)}, digits...)
		if n /= 10; n == 0 {
			return string(digits)
		}
	}
}
