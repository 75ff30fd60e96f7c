package slurm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"schedmate"
)

// task is the index of an array's task; 0 is one, so that it must be told.
type task struct {
	number int64
	told   bool
}

func (t *task) UnmarshalJSON(raw []byte) error {
	*t = task{}
	raw = bytes.TrimSpace(raw)
	if bytes.Equal(raw, []byte("null")) {
		return nil
	}
	t.told = true
	if raw[0] == '{' {
		var x struct {
			Set bool `json:"set"`
		}
		if err := json.Unmarshal(raw, &x); err != nil {
			return err
		}
		t.told = x.Set
	}
	var n number
	if err := n.UnmarshalJSON(raw); err != nil {
		return err
	}
	if n == 0 && !t.told || bytes.HasPrefix(raw, []byte("4294967294")) {
		*t = task{}
		return nil
	}
	t.number = int64(n)
	return nil
}

// exit is how a process ended: a wait status up to 22.05, an object later.
type exit struct{ code, signal int }

func (e *exit) UnmarshalJSON(raw []byte) error {
	*e = exit{}
	raw = bytes.TrimSpace(raw)
	if raw[0] != '{' {
		var n number
		if err := n.UnmarshalJSON(raw); err != nil {
			return err
		}
		e.code, e.signal = int(n>>8)&0xff, int(n)&0x7f
		return nil
	}
	var x struct {
		Code   number `json:"return_code"`
		Signal struct {
			ID number `json:"id"`
		} `json:"signal"`
	}
	if err := json.Unmarshal(raw, &x); err != nil {
		return err
	}
	e.code, e.signal = x.Code.count(), x.Signal.ID.count()
	return nil
}

// holds is the part of job_resources that tells of nodes; what is told of single
// cores is passed over.
type holds struct{ nodes []held }

type held struct {
	name      string
	cpus      int
	memoryMiB int64
}

func (h *holds) UnmarshalJSON(raw []byte) error {
	*h = holds{}
	raw = bytes.TrimSpace(raw)
	if raw[0] != '{' {
		return nil
	}
	var x struct {
		Old []struct {
			Name   string `json:"nodename"`
			Memory number `json:"memory_allocated"`
		} `json:"allocated_nodes"`
		Nodes json.RawMessage `json:"nodes"`
	}
	if err := json.Unmarshal(raw, &x); err != nil {
		return err
	}
	for _, n := range x.Old {
		h.nodes = append(h.nodes, held{name: n.Name, memoryMiB: int64(n.Memory)})
	}
	if len(x.Nodes) == 0 || x.Nodes[0] != '{' { // a text up to 22.05
		return nil
	}
	var nodes struct {
		Allocation []struct {
			Name string `json:"name"`
			CPUs struct {
				Count number `json:"count"`
			} `json:"cpus"`
			Memory struct {
				Allocated number `json:"allocated"`
			} `json:"memory"`
		} `json:"allocation"`
	}
	if err := json.Unmarshal(x.Nodes, &nodes); err != nil {
		return err
	}
	for _, n := range nodes.Allocation {
		h.nodes = append(h.nodes, held{n.Name, n.CPUs.Count.count(), int64(n.Memory.Allocated)})
	}
	return nil
}

// queue is what one answer about jobs holds.
type queue struct {
	jobs   []schedmate.ObservedJob
	gaps   []schedmate.Gap
	system schedmate.System
	at     schedmate.Seconds // by the controller's clock, where it tells
}

// meta is what Slurm's JSON tells of itself; names differ between versions.
type meta struct {
	Old release `json:"Slurm"`
	New release `json:"slurm"`
}

type release struct {
	Release string `json:"release"`
	Cluster string `json:"cluster"`
}

// remark is an error that an answer carries.
type remark struct {
	Text   string `json:"error"`
	Detail string `json:"description"`
}

// readJobsJSON reads the answer of squeue --json, or of the REST service to
// GET jobs. It holds one job at a time, so that the length of the queue is no
// matter. A job that cannot be read is a gap.
func readJobsJSON(from io.Reader) (*queue, error) {
	q := &queue{}
	bad := 0
	var firstBad error
	err := eachField(from, map[string]func(*json.Decoder) error{
		"jobs": func(d *json.Decoder) error {
			return eachElement(d, func(raw json.RawMessage) error {
				var r record
				err := json.Unmarshal(raw, &r)
				if err == nil {
					var j schedmate.ObservedJob
					if j, err = r.job(); err == nil {
						q.jobs = append(q.jobs, j)
						if q.system.Cluster == "" {
							q.system.Cluster = clean(r.Cluster)
						}
						return nil
					}
				}
				if bad++; firstBad == nil {
					firstBad = fmt.Errorf("job %d: %w", r.JobID, err)
				}
				return nil
			})
		},
		"meta":   func(d *json.Decoder) error { return q.readMeta(d) },
		"errors": func(d *json.Decoder) error { return q.readErrors(d) },
		"last_update": func(d *json.Decoder) error {
			var n number
			if err := d.Decode(&n); err != nil {
				return err
			}
			q.at = n.seconds()
			return nil
		},
	})
	if bad > 0 {
		q.gaps = append(q.gaps, schedmate.Gap{What: plural(bad, "job"), Why: "Slurm's answer about them could not be read: " + firstBad.Error(), Next: "report this with the output of 'squeue --json'"})
	}
	slices.SortFunc(q.jobs, func(a, b schedmate.ObservedJob) int { return schedmate.CompareJobIDs(a.ID, b.ID) })
	return q, err
}

func (q *queue) readMeta(d *json.Decoder) error {
	var m meta
	if err := d.Decode(&m); err != nil {
		return err
	}
	for _, r := range []release{m.Old, m.New} {
		if r.Release != "" {
			q.system.Version = r.Release
		}
		if r.Cluster != "" {
			q.system.Cluster = r.Cluster
		}
	}
	return nil
}

func (q *queue) readErrors(d *json.Decoder) error {
	var list []remark
	if err := d.Decode(&list); err != nil {
		return err
	}
	for _, r := range list {
		q.gaps = append(q.gaps, schedmate.Gap{What: "part of Slurm's answer", Why: clean(text(r.Text + " " + r.Detail))})
	}
	return nil
}

// eachField reads an object, gives the values of known fields to their readers,
// in the order in which they come, and passes over the rest.
func eachField(from io.Reader, fields map[string]func(*json.Decoder) error) error {
	d := json.NewDecoder(from)
	if err := expect(d, json.Delim('{')); err != nil {
		return err
	}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return cut(err)
		}
		name, _ := token.(string)
		if read := fields[name]; read != nil {
			if err := read(d); err != nil {
				return fmt.Errorf("field %s: %w", name, cut(err))
			}
			continue
		}
		var passed json.RawMessage
		if err := d.Decode(&passed); err != nil {
			return fmt.Errorf("field %s: %w", name, cut(err))
		}
	}
	return cut(expect(d, json.Delim('}')))
}

// eachElement reads a list, one element at a time.
func eachElement(d *json.Decoder, take func(json.RawMessage) error) error {
	if err := expect(d, json.Delim('[')); err != nil {
		return err
	}
	for d.More() {
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return err
		}
		if err := take(raw); err != nil {
			return err
		}
	}
	return expect(d, json.Delim(']'))
}

func expect(d *json.Decoder, want json.Delim) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	if token != want {
		return fmt.Errorf("must be %q, got %.40v", want, token)
	}
	return nil
}

// cut says in words that an answer ended too early.
func cut(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return errCut
	}
	return err
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
