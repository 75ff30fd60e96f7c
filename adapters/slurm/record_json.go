package slurm

import (
	"bytes"
	"encoding/json"
	"strings"
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
	if _, plain := plainNumber(raw); raw[0] == '{' && !plain {
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
		if e.signal = int(n) & 0x7f; e.signal == 0 { // who dies by a signal exits with nothing, as wait(2) has it
			e.code = int(n>>8) & 0xff
		}
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
	cores     int // where only these are told
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
			Name    string `json:"nodename"`
			Memory  number `json:"memory_allocated"`
			Sockets map[string]struct {
				Cores map[string]string `json:"cores"`
			} `json:"sockets"`
		} `json:"allocated_nodes"`
		Nodes json.RawMessage `json:"nodes"`
	}
	if err := json.Unmarshal(raw, &x); err != nil {
		return err
	}
	for _, n := range x.Old {
		one := held{name: n.Name, memoryMiB: int64(n.Memory.count())}
		for _, socket := range n.Sockets {
			for _, core := range socket.Cores {
				if strings.HasPrefix(core, "allocated") {
					one.cores++
				}
			}
		}
		h.nodes = append(h.nodes, one)
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
		h.nodes = append(h.nodes, held{name: n.Name, cpus: n.CPUs.Count.count(), memoryMiB: int64(n.Memory.Allocated.count())})
	}
	return nil
}
