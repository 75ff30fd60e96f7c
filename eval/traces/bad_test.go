package traces

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"schedmate"
)

// Every complaint names the place, the problem and a next step. The texts here
// are whole, because they are what a person sees.
func TestBadInputIsRefusedWithAPlaceAndANextStep(t *testing.T) {
	const (
		rfold    = "job_id,arrival_s,num_gpus,duration_s\n"
		pollux   = "timestamp,duration,num_gpus,vc\n"
		lucidMin = "job_id,gpu_num,submit_s,duration"
	)
	gz := zipped(t, rfold+"a,0,1,10\nb,0,1,10\n")
	damaged := append([]byte(nil), gz...)
	damaged[len(damaged)-5] ^= 0xff // the checksum is in the last eight bytes

	bad := func(f Format, text, want string) {
		t.Helper()
		trace, err := ReadWith(strings.NewReader(text), "t.csv", f, Options{Beside: besideTests})
		if err == nil {
			t.Errorf("%.60q was accepted: %d jobs", text, len(trace.Jobs))
			return
		}
		if err.Error() != want {
			t.Errorf("%.60q:\n got %s\nwant %s", text, err, want)
		}
		var input *InputError
		if !errors.As(err, &input) {
			t.Errorf("%.60q: the error is a %T, want an InputError", text, err)
		}
	}

	// Bytes.
	bad("philly", "", `t.csv: is empty; check that the file is complete`)
	bad("philly", string(zipped(t, "")), `t.csv: holds no text; check that the file is complete`)
	bad("philly", string(gz[:len(gz)-8]), `t.csv:4: the gzip data ends too early; the file is cut off: copy or download it again`)
	bad("philly", string(gz[:5]), `t.csv: the gzip data ends too early; the file is cut off: copy or download it again`)
	bad("philly", string(damaged), `t.csv:4: the gzip data is damaged (gzip: invalid checksum); copy or download the file again`)
	bad("philly", "\x1f\x8bnot gzip at all", `t.csv: the gzip data is damaged (gzip: invalid header); copy or download the file again`)
	bad("philly", "PK\x03\x04........", `t.csv: is a zip archive; unpack it first`)
	bad("philly", "BZh91AY", `t.csv: is compressed with bzip2; decompress it first, or compress it with gzip`)
	bad("philly", "\xfd7zXZ\x00", `t.csv: is compressed with xz; decompress it first, or compress it with gzip`)
	bad("philly", "\x28\xb5\x2f\xfd", `t.csv: is compressed with zstd; decompress it first, or compress it with gzip`)
	bad("philly", "version https://git-lfs.github.com/spec/v1\noid sha256:0\n", `t.csv: is a Git LFS pointer, not the data; fetch the data with git lfs pull`)
	bad("philly", rfold+"a,0,1,1\x000\n", `t.csv:2: byte 8 is the control character 0x00; check that the file is plain or gzip-compressed text in UTF-8`)
	bad("philly", rfold+"\x1b[31ma,0,1,10\n", `t.csv:2: byte 1 is the control character 0x1b; check that the file is plain or gzip-compressed text in UTF-8`)
	bad("philly", rfold+"a\u0085,0,1,10\n", `t.csv:2: byte 2 is the control character U+0085; check that the file is plain or gzip-compressed text in UTF-8`)
	bad("philly", rfold+"\xe9t\xe9,0,1,10\n", `t.csv:2: byte 1 is not UTF-8; check that the file is plain or gzip-compressed text in UTF-8`)
	bad("philly", "\xff\xfej\x00o\x00b\x00", `t.csv:1: byte 4 is the control character 0x00; check that the file is plain or gzip-compressed text in UTF-8`)

	// The header.
	bad("philly", "\n", `t.csv:1: column 1 has no name; the first line must name the columns; format philly has the columns timestamp, duration, num_gpus and optionally vc; or job_id, arrival_s, num_gpus, duration_s`)
	bad("philly", rfold, `t.csv: has a header but no jobs; check that the file is complete`)
	bad("philly", "job_id,arrival_s,num_gpus\na,0,1\n", `t.csv:1: column "duration_s": is missing; format philly has the columns timestamp, duration, num_gpus and optionally vc; or job_id, arrival_s, num_gpus, duration_s`)
	bad("philly", "job_id,arrival_s,num_gpus,duration_s,colour\na,0,1,10,red\n", `t.csv:1: column "colour": is unknown; format philly has the columns timestamp, duration, num_gpus and optionally vc; or job_id, arrival_s, num_gpus, duration_s`)
	bad("philly", "job_id,arrival_s,num_gpus,num_gpus,duration_s\na,0,1,1,10\n", `t.csv:1: column "num_gpus": occurs twice; remove or rename one of them`)
	bad("philly", chronusHeader, `t.csv:1: column "timestamp": is missing; the header is that of format chronus`)
	bad("chronus", rfold, `t.csv:1: column "vc": is missing; the header is that of format philly`)

	// Rows.
	const ragged = "correct the row; a cell that holds a comma needs double quotes"
	bad("philly", rfold+"a,0,1,10\nb,0,1\n", `t.csv:3: the row has 3 cells, the header has 4; `+ragged)
	bad("philly", rfold+"a,0,1,10,\n", `t.csv:2: the row has 5 cells, the header has 4; `+ragged)
	bad("philly", rfold+"a,0,1,10\n\nb,0,1,10\n", `t.csv:3: is empty, but rows follow; remove the line`)
	bad("philly", rfold+"a,0,1,\"10\nb,0,1,10\"\n", `t.csv:2: a double quote is out of place or not closed; put quotes around whole cells only and double those inside`)
	bad("philly", rfold+"a,0,1,10\na,1,1,10\n", `t.csv:3: column "job_id": job "a" was already on line 2; give every job an id of its own`)
	bad("philly", rfold+",0,1,10\n", `t.csv:2: column "job_id": is empty; give every job an id`)
	bad("philly", rfold+"a,0,0,10\n", `t.csv: has no job left: 1 dropped (asks 0 GPUs); check that the columns hold what the format says`)

	// Numbers.
	const fix = "; correct the cell or remove the row"
	bad("philly", rfold+"a,0,-1,10\n", `t.csv:2: column "num_gpus": must lie in [0, 1048576], got -1`+fix)
	bad("philly", rfold+"a,0,1048577,10\n", `t.csv:2: column "num_gpus": must lie in [0, 1048576], got 1048577`+fix)
	bad("philly", rfold+"a,0,99999999999999999999,10\n", `t.csv:2: column "num_gpus": must lie in [0, 1048576], got 99999999999999999999`+fix)
	bad("philly", rfold+"a,0,1.5,10\n", `t.csv:2: column "num_gpus": must be a whole number, got "1.5"`+fix)
	bad("philly", rfold+"a,0,,10\n", `t.csv:2: column "num_gpus": is empty where a whole number is needed`+fix)
	bad("philly", rfold+"a,0,NaN,10\n", `t.csv:2: column "num_gpus": must be a whole number, got "NaN"`+fix)
	bad("philly", rfold+"a,0,1,NaN\n", `t.csv:2: column "duration_s": must be a number, got "NaN"`+fix)
	bad("philly", rfold+"a,0,1,+Inf\n", `t.csv:2: column "duration_s": must be a number, got "+Inf"`+fix)
	bad("philly", rfold+"a,0,1,0x10p1\n", `t.csv:2: column "duration_s": must be a number, got "0x10p1"`+fix)
	bad("philly", rfold+"a,0,1,1e\n", `t.csv:2: column "duration_s": must be a number, got "1e"`+fix)
	bad("philly", rfold+"a,0,1,1e999\n", `t.csv:2: column "duration_s": must lie in [0, 6324480000], got 1e999`+fix)
	bad("philly", rfold+"a,0,1,-10\n", `t.csv:2: column "duration_s": must lie in [0, 6324480000], got -10`+fix)
	bad("philly", rfold+"a,0,1, 10\n", `t.csv:2: column "duration_s": must be a number, got " 10"`+fix)
	bad("philly", rfold+"a,6324480001,1,10\n", `t.csv:2: column "arrival_s": must lie in [0, 6324480000], got 6324480001`+fix)
	bad("philly", pollux+"2017-13-09 07:01:55,66.0,1,a\n", `t.csv:2: column "timestamp": must be a time like 2020-04-01 00:00:00, got "2017-13-09 07:01:55"`+fix)
	bad("philly", pollux+"2017-12-09 07:01:55.5,66.0,1,a\n", `t.csv:2: column "timestamp": must be a time like 2020-04-01 00:00:00, got "2017-12-09 07:01:55.5"`+fix)
	bad("philly", pollux+"1017-12-09 07:01:55,66.0,1,a\n2017-12-09 07:01:55,66.0,1,a\n",
		`t.csv:3: job.submit_s: must lie in [0, 6324480000] seconds, got 31556995200; correct the row or remove it`)

	// Lucid.
	bad("lucid", lucidMin+",state\na,1,0,10,RUNNING\n", `t.csv:2: column "state": unknown state "RUNNING"; use COMPLETED, CANCELLED, FAILED, TIMEOUT or NODE_FAIL`)
	bad("lucid", lucidMin+",gpu_util\na,1,0,10,100.1\n", `t.csv:2: column "gpu_util": must lie in [0, 100], got 100.1`+fix)
	bad("lucid", lucidMin+",estimate_s\na,1,0,10,-1034\n", `t.csv:2: column "estimate_s": must lie in [0, 6324480000], got -1034`+fix)
	bad("lucid", lucidMin+",amp\na,1,0,10,True\n", `t.csv:2: column "amp": must be 0 or 1, got "True"`+fix)
	bad("lucid", "job_id,gpu_num,submit_time,duration\na,1,2020-04-01 00:00:00,10\nb,1,60,10\n",
		`t.csv:3: column "submit_time": mixes times of day and seconds: "60" here, the other on line 2; write all of them in one way`)

	// CHRONUS.
	slo := func(times, values, best, kind string) string {
		return chronusHeader + "0,vc,1,5,1,alexnet,20,5," + times + "," + values + "," + best + "," + kind + "\n"
	}
	const lists = `; write minutes after the submission joined by "-"; a deadline cannot lie before it`
	bad("chronus", slo("30-40", "10", "0", "soft"), `t.csv:2: column "expect_value_list": has 1 entries, expect_time_list has 2; give every deadline one value`)
	bad("chronus", slo("30-40", "10-8", "0", "strict"), `t.csv:2: column "expect_time_list": a strict job has one deadline, got 2; make the job soft or leave one deadline`)
	bad("chronus", slo("-30", "10-8", "0", "soft"), `t.csv:2: column "expect_time_list": deadline 1 is empty where a number is needed`+lists)
	bad("chronus", slo("", "", "0", "strict"), `t.csv:2: column "expect_time_list": deadline 1 is empty where a number is needed`+lists)
	bad("chronus", slo("40-30", "10-8", "0", "soft"), `t.csv:2: column "expect_time_list": deadline 2 comes before deadline 1; write the earliest deadline first`)
	bad("chronus", slo("30-40", "8-8", "0", "soft"), `t.csv:2: column "expect_value_list": value 2 is not smaller than the one before it; a later deadline must be worth less; leave out the earlier one`)
	bad("chronus", slo("30", "11", "0", "soft"), `t.csv:2: column "expect_value_list": value 1 must lie in [0, 10], got 11; write values from 0 to 10 joined by "-"`)
	bad("chronus", slo("30", "10", "1", "strict"), `t.csv:2: column "best_effort": is 1, but job_type is "strict"; make the two agree`)
	bad("chronus", slo("30", "10", "0", "best"), `t.csv:2: column "best_effort": is 0, but job_type is "best"; make the two agree`)
	bad("chronus", slo("30", "10", "0", "urgent"), `t.csv:2: column "job_type": unknown type "urgent"; use strict, soft or best`)
	bad("chronus", slo("105408000", "10", "0", "strict"), // 200 years after minute 5
		`t.csv:2: job.slo.tiers[0].deadline_s: must lie in [300, 6324480000] seconds, got 6324480300; correct the row or remove it`)

	// Sia.
	bad("sia", siaHeader+"a,0,gpt,4,384\n", `t.csv:2: column "application": no run time is known of "gpt"`+fix)
	bad("sia", siaHeader+"a,0,bert,4,383\n", `t.csv:2: column "batch_size": no run time is known of bert with 383 samples a step`+fix)
	bad("sia", siaHeader+"a,0,bert,9,384\n", `t.csv:2: column "num_replicas": no step of bert on 9 GPUs has been measured`+fix)
	bad("sia", siaHeader+"a,0,cifar10,8,2048\n"+"b,0,cifar10,6,2048\n"+"a,1,cifar10,6,2048\n", `t.csv:4: column "name": job "a" was already on line 2; give every job an id of its own`)
	bad("sia", "name,time,application,num_replicas,batch_size,workload\na,0,bert,4,384,1\na,0,bert,4,384,2\n",
		`t.csv:3: column "workload": is 2, those above are 1: the file holds several workloads, which are separate runs; choose one of them, with --workload 1 for example`)

	// The Standard Workload Format.
	const line = "1 0 12 7200 8 -1 -1 8 10800 -1 1 3 1 2 1 1 -1 -1\n"
	bad("swf", "; only comments\n", `t.csv: has a header but no jobs; check that the file is complete`)
	bad("swf", "1 2 3\n", `t.csv:1: has 3 fields; write the 18 fields of the format, -1 for what is not known; comments begin with a semicolon`)
	bad("swf", line+"\n"+line, `t.csv:2: is empty, but jobs follow; remove the line`)
	bad("swf", line+line, `t.csv:2: column "job_number": job "1" was already on line 1; give every job an id of its own`)
	bad("swf", strings.Replace(line, " 8 10800", " 8.5 10800", 1), `t.csv:1: column "requested_processors": must be a whole number, got "8.5"`+fix)
	bad("swf", strings.Replace(line, "7200", "-7200", 1), `t.csv:1: column "run_time": must lie in [0, 6324480000], got -7200`+fix)
	bad("swf", strings.Replace(line, " -1 1 3", " -1 6 3", 1), `t.csv:1: column "status": must lie in [0, 5], got 6`+fix)
	bad("swf", strings.Replace(line, " 12 ", " soon ", 1), `t.csv:1: column "wait_time": must be a number, got "soon"`+fix)
	bad("swf", strings.Replace(line, "1 0", "-1 0", 1), `t.csv:1: column "job_number": must lie in [0, 9007199254740992], got -1`+fix)
	bad("swf", strings.Replace(line, " 12 7200", " 12 -1", 1), `t.csv: has no job left: 1 dropped (has no run time); check that the columns hold what the format says`)
	bad("philly", "; Version: 2.2\n"+line, `t.csv:1: column "timestamp": is missing; a file that begins with a comment is of format swf`)
}

var syntheticHeader = SyntheticLabel + "by hand\n" + strings.Join(SyntheticColumns, ",") + "\n"

// A synthetic trace without its label is refused, and so is a name that would
// hide in a table of jobs what it is of.
func TestSyntheticTracesSayWhatTheyAre(t *testing.T) {
	_, unlabelled, _ := strings.Cut(syntheticHeader, "\n")
	const row = "synthetic-0,,8,228,1486,completed,strict,4489,100\n"
	for _, c := range []struct{ text, want string }{
		{unlabelled + row, `t.csv:1: the label of a synthetic trace is missing; the first line must begin with # synthetic trace, no job of it was ever run: and say how the trace was made; 'schedmate trace generate' writes it`},
		{SyntheticLabel + "\n" + unlabelled + row, `t.csv:1: the label of a synthetic trace is missing; the first line must begin with # synthetic trace, no job of it was ever run: and say how the trace was made; 'schedmate trace generate' writes it`},
		{SyntheticLabel + "by hand\njob_id\n", `t.csv:2: column "name": is missing; format synthetic has the columns ` + list(SyntheticColumns)},
		{syntheticHeader + row[len("synthetic-"):], `t.csv:3: column "job_id": must begin with synthetic-, got "0"; keep the names that the generator gave`},
		{syntheticHeader + strings.Replace(row, "completed", "infeasible", 1), `t.csv:3: column "state": unknown state "infeasible"; use completed, cancelled, failed, timed_out`},
		{syntheticHeader + strings.Replace(row, "strict", "", 1), `t.csv:3: column "slo": unknown class ""; use strict, soft or best_effort`},
		{syntheticHeader + strings.Replace(row, "strict", "best_effort", 1), `t.csv:3: column "deadlines_s": a best-effort job has none; leave the cell empty, or make the job strict or soft`},
		{syntheticHeader + strings.Replace(row, "4489", "4489-9000", 1), `t.csv:3: column "rewards": has 1 entries, deadlines_s has 2; give every deadline one reward`},
		{syntheticHeader + strings.Replace(row, "strict,4489,100", "soft,9000-4489,100-50", 1), `t.csv:3: job.slo.tiers[1].deadline_s: deadlines must increase: 4717 follows 9228; correct the row or remove it`},
		{syntheticHeader + strings.Replace(row, "4489", "-1", 1), `t.csv:3: column "rewards": has 1 entries, deadlines_s has 2; give every deadline one reward`},
	} {
		_, err := Read(strings.NewReader(c.text), "t.csv", "synthetic")
		if err == nil || err.Error() != c.want {
			t.Errorf("%.60q:\n got %v\nwant %s", c.text, err, c.want)
		}
	}
	_, err := Read(strings.NewReader(syntheticHeader+row), "t.csv", "philly")
	if err == nil || !strings.HasSuffix(err.Error(), "the label is that of format synthetic") {
		t.Errorf("read as philly: got %v", err)
	}
}

const siaHeader = "name,time,application,num_replicas,batch_size\n"

func TestOptionsBelongToTheirFormats(t *testing.T) {
	for _, c := range []struct {
		format  Format
		options Options
		want    string
	}{
		{"lucid", Options{VC: "partition"}, "format lucid leaves no choice of vc and arrival; they belong to format sacct"},
		{"swf", Options{Arrival: "submit"}, "format swf leaves no choice of vc and arrival; they belong to format sacct"},
		{"sacct", Options{Workload: "1"}, "format sacct has no workloads to choose from; they belong to format sia"},
		{"swf", Options{VC: "account"}, `vc "account": use none or partition`},
		{"sacct", Options{VC: "user"}, `vc "user": use none, partition or account`},
	} {
		if err := c.options.Validate(c.format); err == nil || err.Error() != c.want {
			t.Errorf("%s %+v: got %v, want %s", c.format, c.options, err, c.want)
		}
	}
	if err := (Options{VC: VCPartition}).Validate("swf"); err != nil {
		t.Error(err)
	}
}

func TestBadRowsOfElasticflow(t *testing.T) {
	const header = "job_id,submit_time,iteration,model_name,ddl,batch_size,num_gpu,duration\n"
	for _, tc := range []struct{ row, want string }{
		{"0,600,2011,cifar10,599,4096,1,5644", `t.csv:2: column "ddl": lies before the submission; correct the cell or remove the row`},
		{"0,600,2011,cifar10,,4096,1,5644", `t.csv:2: column "ddl": is empty where a number is needed; correct the cell or remove the row`},
		{"0,600,-1,cifar10,6000,4096,1,5644", `t.csv:2: column "iteration": must lie in [0, 9007199254740992], got -1; correct the cell or remove the row`},
		{"0,600,2011,cifar10,6000,x,1,5644", `t.csv:2: column "batch_size": must be a whole number, got "x"; correct the cell or remove the row`},
		{"0,600,0,cifar10,6000,4096,1,5644", `t.csv: has no job left: 1 dropped (trains 0 iterations); check that the columns hold what the format says`},
		{"0,600,2011,cifar10,6000,4096,1", `t.csv:2: the row has 7 cells, the header has 8; correct the row; a cell that holds a comma needs double quotes`},
	} {
		if _, err := Read(strings.NewReader(header+tc.row+"\n"), "t.csv", "elasticflow"); err == nil || err.Error() != tc.want {
			t.Errorf("%s:\n got %v\nwant %s", tc.row, err, tc.want)
		}
	}
}

func TestAnUnknownFormatListsTheKnownOnes(t *testing.T) {
	_, err := Read(strings.NewReader("x"), "t.csv", "gwf")
	const want = `read trace t.csv: unknown trace format "gwf"; use one of chronus, elasticflow, lucid, philly, sacct, sia, swf, synthetic`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestOpenExplainsWhatItCannotOpen(t *testing.T) {
	if _, err := Open("-", "philly"); err == nil || !strings.Contains(err.Error(), "give the path of a file") {
		t.Errorf("standard input: got %v", err)
	}
	missing := filepath.Join(t.TempDir(), "no-such.csv")
	if _, err := Open(missing, "philly"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: got %v", err)
	}
	var input *InputError
	if _, err := Open(t.TempDir(), "philly"); !errors.As(err, &input) || !strings.Contains(err.Error(), "cannot be read") {
		t.Errorf("folder: got %v", err)
	}
}

// A few kilobytes that would unpack to gigabytes stop at the limit.
func TestLimits(t *testing.T) {
	const header = "job_id,arrival_s,num_gpus,duration_s\n"
	small := limits{textBytes: 1 << 20, lines: 2e6, lineBytes: 1 << 10}
	refused := func(name, text, want string) {
		t.Helper()
		_, err := read(strings.NewReader(text), "t.csv", "philly", Options{}, small)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", name, err, want)
		}
	}
	refused("long line", header+strings.Repeat("x", 2000), "t.csv:2: the line is longer than 1024 bytes, which is the limit; ")
	refused("long header", strings.Repeat("x", 2000), "t.csv:1: the line is longer than 1024 bytes, which is the limit; ")
	refused("bomb of zeroes", string(zipped(t, strings.Repeat("\x00", 4<<20))), "t.csv:1: the line is longer than 1024 bytes")
	refused("bomb of empty lines", string(zipped(t, header+strings.Repeat("\n", 4<<20))), "t.csv:1048541: holds more than 1048576 bytes of text, which is the limit; cut the trace")
	small.lines = 4
	refused("too many lines", header+"a,0,1,1\nb,0,1,1\nc,0,1,1\nd,0,1,1\n", "t.csv:5: has more than 4 lines, which is the limit; cut the trace")
	refused("too many empty lines", header+"a,0,1,1\n\n\n\n\n", "t.csv:5: has more than 4 lines, which is the limit; cut the trace")

	fits := header + "a,0,1,1\nb,0,1,1\nc,0,1,1\n"
	small.textBytes = int64(len(fits))
	if _, err := read(strings.NewReader(fits), "t.csv", "philly", Options{}, small); err != nil {
		t.Errorf("a trace that just fits: %v", err)
	}
}

// brokenReader fails in the middle of a row.
type brokenReader struct{ text io.Reader }

var errDisk = errors.New("disk on fire")

func (b brokenReader) Read(p []byte) (int, error) {
	n, err := b.text.Read(p)
	if err == io.EOF {
		err = errDisk
	}
	return n, err
}

func TestAReadErrorIsNotTakenForABadRow(t *testing.T) {
	_, err := Read(brokenReader{strings.NewReader("job_id,arrival_s,num_gpus,duration_s\na,0,1,10\nb,0")}, "t.csv", "philly")
	if !errors.Is(err, errDisk) {
		t.Errorf("got %v, want the error of the reader", err)
	}
	_, err = Read(brokenReader{strings.NewReader("")}, "t.csv", "philly")
	if !errors.Is(err, errDisk) {
		t.Errorf("got %v, want the error of the reader", err)
	}
}

func TestALateDeadlineKeepsTheCause(t *testing.T) {
	_, err := Read(strings.NewReader(chronusHeader+"0,vc,1,5,1,alexnet,20,5,105408000,10,0,strict\n"), "t.csv", "chronus")
	var field *schedmate.FieldError
	if !errors.As(err, &field) || field.Path != "job.slo.tiers[0].deadline_s" {
		t.Errorf("got %v, want the FieldError of the deadline inside", err)
	}
}
