package slurm

import (
	"bytes"
	"encoding/json"
)

// Two fields of partitions are texts up to v0.0.38 and groups later.

// nodesOfPartition is the list of its hosts.
type nodesOfPartition text

func (n *nodesOfPartition) UnmarshalJSON(raw []byte) error {
	return eitherForm(raw, "configured", (*text)(n))
}

// allowedOrName is the QOS that may use it. In the flat form the field is the
// partition's own QOS, which is another thing.
type allowedOrName text

func (a *allowedOrName) UnmarshalJSON(raw []byte) error {
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || raw[0] != '{' {
		*a = ""
		return nil
	}
	return eitherForm(raw, "allowed", (*text)(a))
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
