package slurm

import (
	"bytes"
	"encoding/json"
)

// Two fields of partitions are texts up to v0.0.38 and groups later.

// nodesOfPartition are the hosts that it has, and, in the newer form, those from which
// it takes jobs.
type nodesOfPartition struct{ configured, allocating text }

func (n *nodesOfPartition) UnmarshalJSON(raw []byte) error {
	n.allocating = ""
	if raw = bytes.TrimSpace(raw); len(raw) > 0 && raw[0] == '{' {
		if err := eitherForm(raw, "allowed_allocation", &n.allocating); err != nil {
			return err
		}
	}
	return eitherForm(raw, "configured", &n.configured)
}

// allowedOrName is the QOS that may use it. In the flat form the field is the
// partition's own QOS, which is another thing.
type allowedOrName struct {
	Allowed  text `json:"allowed"`
	Deny     text `json:"deny"`
	Assigned text `json:"assigned"` // the partition's own
}

func (a *allowedOrName) UnmarshalJSON(raw []byte) error {
	*a = allowedOrName{}
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || raw[0] != '{' {
		return nil
	}
	type plain allowedOrName
	return json.Unmarshal(raw, (*plain)(a))
}

// eitherForm reads a text, or the text under a key of an object.
func eitherForm(raw []byte, key string, to *text) error {
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || raw[0] != '{' {
		return to.UnmarshalJSON(raw)
	}
	var group map[string]json.RawMessage
	if err := json.Unmarshal(raw, &group); err != nil {
		return err
	}
	if _, there := group[key]; !there {
		*to = ""
		return nil
	}
	return to.UnmarshalJSON(group[key])
}
