package cli

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"schedmate"
	"schedmate/logs/series"
)

// small lets a log unpack to a megabyte at most.
var small = reading{unpacked: 1 << 20, limits: series.DefaultLimits}

func regular(text []byte) source {
	r := bytes.NewReader(text)
	return source{stream: r, at: r, size: int64(len(text))}
}

func packed(t testing.TB, text []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	if _, err := z.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func fed(t testing.TB, r reading, in source) (*schedmate.Progress, int64) {
	t.Helper()
	s, n, err := r.state(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := readProgress(s)
	if err != nil {
		t.Fatal(err)
	}
	return p, n
}

// trainingLog has one record a line, so that the number of a line is the step
// plus one.
func trainingLog(lines int) []byte {
	var b bytes.Buffer
	b.WriteString("training begins\n")
	for i := 1; i <= lines; i++ {
		fmt.Fprintf(&b, "step %d/100000 loss %.4f took %.3fs\n", i, 8/(1+float64(i)/300), 0.5+float64(i%3)/100)
	}
	return b.Bytes()
}

// However a log is packed, it says the same, and is read at the same places.
func TestPackedLogsSayTheSame(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		log := trainingLog(rapid.SampledFrom([]int{0, 3, 700, 6000, 9000}).Draw(rt, "lines"))
		log = log[:len(log)-rapid.IntRange(0, min(40, len(log))).Draw(rt, "cut")]
		once := packed(t, log)
		plain, _ := fed(t, small, regular(log))
		for name, in := range map[string]source{
			"gzip in a file":    regular(once),
			"gzip in a pipe":    {stream: bytes.NewReader(once)},
			"gzip of a gzip":    regular(packed(t, once)),
			"two gzips in one":  regular(append(packed(t, log[:len(log)/3]), packed(t, log[len(log)/3:])...)),
			"gzip and zeros":    regular(append(bytes.Clone(once), make([]byte, 600)...)),
			"gzip, byte a read": {stream: iotestOneByte{bytes.NewReader(once)}},
		} {
			if got, _ := fed(t, small, in); !cmp.Equal(plain, got) {
				rt.Fatalf("%s says something else:\n%s", name, cmp.Diff(plain, got))
			}
		}
	})
}

type iotestOneByte struct{ r io.Reader }

func (o iotestOneByte) Read(p []byte) (int, error) { return o.r.Read(p[:1]) }

// A long log is read at both ends; its last line keeps its number and byte. A
// pipe has no ends to go to, and says the same.
func TestLongLogsAreReadAtBothEnds(t *testing.T) {
	log := trainingLog(9000)
	for name, in := range map[string]source{"file": regular(log), "pipe": {stream: bytes.NewReader(log)}} {
		p, n := fed(t, small, in)
		if p.Step == nil || p.Step.Value != 9000 || p.Step.Line != 9001 || p.Step.Byte != int64(bytes.LastIndex(log, []byte("step 9000"))) {
			t.Errorf("%s: step %+v, want 9000 in line 9001", name, p.Step)
		}
		if n != int64(len(log)) {
			t.Errorf("%s: %d bytes read, want all %d: the lines between were counted", name, n, len(log))
		}
	}
}

// The end of a long UTF-16 log begins with a whole character, and its lines are
// not counted by bytes: 上 holds the byte of a line feed.
func TestLongUTF16Logs(t *testing.T) {
	text := strings.ReplaceAll(string(trainingLog(6000)), "took", "上")
	wide := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(text)) {
		wide = append(wide, byte(u), byte(u>>8))
	}
	for name, in := range map[string]source{"plain": regular(wide), "packed": regular(packed(t, wide))} {
		p, _ := fed(t, small, in)
		if p.Step == nil || p.Step.Value != 6000 || p.Step.Line != 0 {
			t.Errorf("%s: step %+v, want 6000 without a line", name, p.Step)
		}
	}
}

func feedError(r reading, in source) error {
	_, _, err := r.state(context.Background(), in)
	return err
}

// What cannot be read says why, and what to do.
func TestUnreadablePacking(t *testing.T) {
	log := trainingLog(200)
	whole := packed(t, log)
	damaged := bytes.Clone(whole)
	damaged[len(damaged)-6] ^= 0xff // in the checksum
	five := log
	for range 5 {
		five = packed(t, five)
	}
	bomb := packed(t, make([]byte, 8<<20))
	empties := packed(t, bytes.Repeat(packed(t, nil), 200_000)) // unpacks to much that unpacks to nothing

	for _, c := range []struct {
		name string
		data []byte
		want []string
	}{
		{"cut off", whole[:len(whole)-20], []string{"cut off", "gzip -dc"}},
		{"damaged", damaged, []string{"damaged", "checksum"}},
		{"packed five times", five, []string{"more than 4 times", "unpack it first"}},
		{"a bomb", bomb, []string{"more than 1MiB", "--max-unpacked"}},
		{"a bomb of empty logs", empties, []string{"more than 1MiB", "--max-unpacked"}},
		{"zstd", []byte("\x28\xb5\x2f\xfdxxxx"), []string{"zstd", "zstd -dc FILE > train.log"}},
		{"bzip2", []byte("BZh91AY"), []string{"bzip2"}},
		{"zip", []byte("PK\x03\x04xxxx"), []string{"zip"}},
	} {
		for kind, in := range map[string]source{"file": regular(c.data), "pipe": {stream: bytes.NewReader(c.data)}} {
			err := feedError(small, in)
			for _, want := range c.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%s in a %s: error %v, want one about %q", c.name, kind, err, want)
				}
			}
		}
	}
}

// zeros is an endless stream that fails the test when too much of it is read.
type zeros struct {
	t    *testing.T
	left int64
}

func (z *zeros) Read(p []byte) (int, error) {
	clear(p)
	if z.left -= int64(len(p)); z.left < 0 {
		z.t.Error("the reading did not end")
		return 0, io.EOF
	}
	return len(p), nil
}

// A read that was called off ends soon.
func TestReadingEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for name, in := range map[string]source{
		"a pipe":      {stream: &zeros{t, 1 << 20}},
		"a long file": regular(trainingLog(9000)),
		"a packed":    regular(packed(t, trainingLog(1000))),
	} {
		if _, _, err := small.state(ctx, in); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v, want that it was called off", name, err)
		}
	}
}

// A panic over one log is an error of that log.
func TestPanicsAreContained(t *testing.T) {
	var none []int
	err := contained(func() error { return fmt.Errorf("item %d", none[3]) })
	if err == nil || !strings.Contains(err.Error(), "BUG: runtime error: index out of range [3]") || !strings.Contains(err.Error(), "track_input_test.go:") {
		t.Errorf("error %v, want one that names the bug and its place", err)
	}
	if err := contained(func() error { return io.EOF }); err != io.EOF {
		t.Errorf("error %v, want EOF as it is", err)
	}
}

func TestSizes(t *testing.T) {
	f := func(text string, want int64, written string) {
		t.Helper()
		var b byteSize
		if err := b.Set(text); err != nil || int64(b) != want || b.String() != written {
			t.Errorf("%s: %d, %s, %v; want %d, %s", text, b, &b, err, want, written)
		}
	}
	f("1000", 1000, "1000 bytes")
	f("2KiB", 2048, "2KiB")
	f("64GiB", 64<<30, "64GiB")
	f("1536mib", 1536<<20, "1.5GiB")
	f("3 TiB", 3<<40, "3TiB")
	for _, bad := range []string{"", "0", "-1", "x", "1.5GiB", "9999999999TiB", "GiB"} {
		if err := new(byteSize).Set(bad); err == nil {
			t.Errorf("%q is taken for a size", bad)
		}
	}
}

func FuzzFeed(f *testing.F) {
	f.Add(trainingLog(16), true)
	f.Add([]byte("\xff\xfes\x00\n\x00"), false)
	f.Fuzz(func(t *testing.T, log []byte, gz bool) {
		if gz {
			log = packed(t, log)
		}
		tiny := reading{unpacked: 1 << 16, limits: series.Limits{Families: 8, Columns: 8, History: 16}}
		s, _, err := tiny.state(context.Background(), regular(log))
		if err != nil {
			return
		}
		if _, _, err := readProgress(s); err != nil {
			t.Error(err)
		}
	})
}
