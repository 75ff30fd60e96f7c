package slurm

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"schedmate"
)

// tres is a list of trackable resources, as in cpu=2,mem=200M,gres/gpu:a100=2.
type tres struct {
	cpus      int
	memoryMiB int64
	nodes     int
	gpus      int
	gpuType   string // where the list names one type only
	shards    int
	told      bool // there was a list
}

// readTRES reads such a list. Resources of other kinds are passed over.
func readTRES(list string) (tres, error) {
	var t tres
	typed := 0
	for _, part := range strings.Split(none(list), ",") {
		if part == "" {
			continue
		}
		name, value, ok := strings.Cut(part, "=")
		if !ok {
			return tres{}, fmt.Errorf("resource %.40q has no amount", part)
		}
		t.told = true
		kind, gpuType, _ := strings.Cut(name, ":")
		switch kind {
		case "cpu", "node", "gres/gpu", "gres/shard":
		case "mem":
			mib, err := mebibytes(value)
			if err != nil {
				return tres{}, fmt.Errorf("resource %.40q: %w", part, err)
			}
			t.memoryMiB = mib
			continue
		default:
			continue
		}
		n, err := amount(value)
		if err != nil {
			return tres{}, fmt.Errorf("resource %.40q: %w", part, err)
		}
		switch {
		case kind == "cpu":
			t.cpus = n
		case kind == "node":
			t.nodes = n
		case kind == "gres/shard":
			t.shards = max(t.shards, n)
		case gpuType == "":
			t.gpus = n
		default: // the sum is told beside the types, or not
			typed += n
			if t.gpuType == "" {
				t.gpuType = gpuType
			} else if t.gpuType != gpuType {
				t.gpuType = "mixed"
			}
		}
	}
	if t.gpuType == "mixed" {
		t.gpuType = ""
	}
	t.gpus = max(t.gpus, typed)
	return t, nil
}

// gres is one generic resource of a node, a request or a job's holding, as in
// gpu:a100:2(IDX:0-1), gres:shard:2, gres/gpu:4 or shard:8(0/4,2/4).
type gres struct {
	name    string // gpu, shard
	kind    string // a100
	count   int
	indices []int
	indexed bool // indices were told, maybe that there are none
}

// readGRES reads a list of them. It is written in several ways: gres:gpu:4 up to
// 22.05, gres/gpu:4 later, gpu:4 for nodes.
func readGRES(list string) ([]gres, error) {
	var out []gres
	for _, part := range splitOutside(none(list)) {
		if part == "gres:" || part == "gres/" { // a demand that was taken back ('scontrol update gres=')
			continue
		}
		g, err := readOneGRES(part)
		if err != nil {
			return nil, err
		}
		out = append(out, g)
	}
	return out, nil
}

func readOneGRES(part string) (gres, error) {
	body, detail, _ := strings.Cut(part, "(")
	body = strings.TrimPrefix(strings.TrimPrefix(body, "gres:"), "gres/")
	body = strings.ReplaceAll(body, "=", ":")
	fields := strings.Split(body, ":")
	g := gres{name: fields[0], count: 1}
	if g.name == "" {
		return gres{}, fmt.Errorf("generic resource %.60q has no name", part)
	}
	rest := fields[1:]
	if len(rest) > 0 {
		if n, err := amount(rest[len(rest)-1]); err == nil {
			g.count, rest = n, rest[:len(rest)-1]
		}
	}
	if len(rest) > 0 {
		g.kind = strings.Join(rest, ":")
	}
	detail = strings.TrimSuffix(detail, ")")
	if index, ok := strings.CutPrefix(detail, "IDX:"); ok {
		g.indexed = true
		if index != "N/A" {
			indices, err := ranges(index)
			if err != nil {
				return gres{}, fmt.Errorf("generic resource %.60q: %w", part, err)
			}
			g.indices = indices
		}
	}
	return g, nil
}

// splitOutside splits at commas that are not between brackets of any kind.
func splitOutside(list string) []string {
	var out []string
	depth, from := 0, 0
	for i := 0; i < len(list); i++ {
		switch list[i] {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case ',':
			if depth <= 0 {
				if i > from {
					out = append(out, list[from:i])
				}
				from = i + 1
			}
		}
	}
	if from < len(list) {
		out = append(out, list[from:])
	}
	return out
}

// mostIndices bounds a list of numbers such as 0-7,12: a corrupt one would become
// a huge allocation.
const mostIndices = 1 << 16

// ranges reads numbers such as 0-3,7.
func ranges(list string) ([]int, error) {
	var out []int
	for _, part := range strings.Split(list, ",") {
		low, high, dash := strings.Cut(part, "-")
		from, err := strconv.Atoi(low)
		if err != nil || from < 0 {
			return nil, fmt.Errorf("is no list of numbers: %.40q", list)
		}
		to := from
		if dash {
			if to, err = strconv.Atoi(high); err != nil || to < from {
				return nil, fmt.Errorf("is no list of numbers: %.40q", list)
			}
		}
		if to-from+len(out) >= mostIndices {
			return nil, fmt.Errorf("has too many numbers: %.40q", list)
		}
		for n := from; n <= to; n++ {
			out = append(out, n)
		}
	}
	return out, nil
}

// amount reads a count, maybe with a suffix of thousands, as Slurm writes them.
func amount(s string) (int, error) {
	scale := 1.0
	body := s
	if body != "" {
		switch body[len(body)-1] {
		case 'K', 'k':
			scale, body = 1<<10, body[:len(body)-1]
		case 'M', 'm':
			scale, body = 1<<20, body[:len(body)-1]
		}
	}
	f, err := strconv.ParseFloat(body, 64)
	if err != nil || !(f >= 0 && f*scale <= math.MaxInt32) {
		return 0, fmt.Errorf("is no count: %.40q", s)
	}
	return int(f * scale), nil
}

// mebibytes reads an amount of memory such as 200M, 1.50T or 500 (MiB).
func mebibytes(s string) (int64, error) {
	scale, body := 1.0, s
	if body != "" {
		switch body[len(body)-1] {
		case 'K', 'k':
			scale, body = 1.0/1024, body[:len(body)-1]
		case 'M', 'm':
			body = body[:len(body)-1]
		case 'G', 'g':
			scale, body = 1<<10, body[:len(body)-1]
		case 'T', 't':
			scale, body = 1<<20, body[:len(body)-1]
		case 'P', 'p':
			scale, body = 1<<30, body[:len(body)-1]
		}
	}
	f, err := strconv.ParseFloat(body, 64)
	if err != nil || !(f >= 0 && f*scale < 1<<50) {
		return 0, fmt.Errorf("is no amount of memory: %.40q", s)
	}
	return int64(f * scale), nil
}

// duration reads a time such as 30, 30:00, 2:00:00, 1-12 or 1-02:03:04: minutes
// if it is one number, as Slurm's manual says. UNLIMITED and the like are 0.
func duration(s string) (schedmate.Seconds, error) {
	switch strings.ToUpper(none(s)) {
	case "", "UNLIMITED", "INFINITE", "NOT_SET", "PARTITION_LIMIT", "NONE", "N/A", "INVALID":
		return 0, nil
	}
	bad := fmt.Errorf("is no duration: %.40q", s)
	days, clock, hasDays := strings.Cut(s, "-")
	total := int64(0)
	if hasDays {
		d, err := strconv.ParseInt(days, 10, 32)
		if err != nil || d < 0 {
			return 0, bad
		}
		total = d * 86400
	} else {
		clock = s
	}
	parts := strings.Split(clock, ":")
	if len(parts) > 3 {
		return 0, bad
	}
	units := []int64{3600, 60, 1}
	switch {
	case hasDays:
	case len(parts) == 1:
		units = units[1:]
	case len(parts) == 2:
		units = units[1:]
	}
	for i, p := range parts {
		p, _, _ = strings.Cut(p, ".") // fractions of a second
		n, err := strconv.ParseInt(p, 10, 32)
		if err != nil || n < 0 {
			return 0, bad
		}
		total += n * units[i]
	}
	if schedmate.Seconds(total) > schedmate.MaxSeconds {
		return 0, bad
	}
	return schedmate.Seconds(total), nil
}

// instant reads a time that was asked for in seconds since 1970. Where a command
// has not heeded that, it is a time of the local clock.
func instant(s string) (schedmate.Seconds, error) {
	switch strings.ToUpper(none(s)) {
	case "", "UNKNOWN", "NONE", "N/A", "INFINITE", "NOW":
		return 0, nil
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		var at time.Time
		if at, err = time.ParseInLocation("2006-01-02T15:04:05", s, time.Local); err == nil {
			n = at.Unix()
		}
	}
	if err != nil || n < 0 || schedmate.Seconds(n) > schedmate.MaxSeconds {
		return 0, fmt.Errorf("is no time in seconds: %.40q", s)
	}
	return schedmate.Seconds(n), nil
}

// none turns what Slurm writes for nothing into nothing.
func none(s string) string {
	switch s {
	case "(null)", "N/A", "None assigned", "n/a":
		return ""
	}
	return s
}
