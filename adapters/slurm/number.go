package slurm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"schedmate"
)

// Slurm's own marks for numbers that are none (slurm.h: NO_VAL, INFINITE), which
// version 22.05 lets through at places.
const (
	noValue       = 0xfffffffe
	infinite      = 0xffffffff
	noValue64     = 0xfffffffffffffffe
	infinite64    = 0xffffffffffffffff
	noValue16     = 0xfffe
	infiniteShort = 0xffff
)

// number is a number in JSON: plain up to 22.05, later an object that says
// whether it is set. What is missing, infinite or no value at all is 0.
type number int64

func (n *number) UnmarshalJSON(text []byte) error {
	*n = 0
	text = bytes.TrimSpace(text)
	switch {
	case len(text) == 0 || bytes.Equal(text, []byte("null")):
		return nil
	case text[0] == '{':
		if digits, plain := plainNumber(text); plain {
			return n.parse(digits)
		}
		var x struct {
			Set      bool        `json:"set"`
			Infinite bool        `json:"infinite"`
			Number   json.Number `json:"number"`
		}
		if err := json.Unmarshal(text, &x); err != nil {
			return err
		}
		if !x.Set || x.Infinite {
			return nil
		}
		return n.parse(string(x.Number))
	case text[0] == '"':
		var s string
		if err := json.Unmarshal(text, &s); err != nil {
			return err
		}
		return n.parse(s)
	}
	return n.parse(string(text))
}

// plainNumber takes the digits out of {"set":true,"infinite":false,"number":7},
// which is how nearly all of a long answer is written; else it says no.
func plainNumber(object []byte) (digits string, ok bool) {
	rest := object[1:]
	for _, part := range [...]string{`"set"`, `:`, `true`, `,`, `"infinite"`, `:`, `false`, `,`, `"number"`, `:`} {
		rest = bytes.TrimLeft(rest, " \t\r\n")
		if len(rest) < len(part) || string(rest[:len(part)]) != part {
			return "", false
		}
		rest = rest[len(part):]
	}
	rest = bytes.TrimLeft(rest, " \t\r\n")
	end := 0
	for end < len(rest) && rest[end] >= '0' && rest[end] <= '9' {
		end++
	}
	if end == 0 || string(bytes.TrimLeft(rest[end:], " \t\r\n")) != "}" {
		return "", false
	}
	return string(rest[:end]), true
}

// mostNumber bounds what is taken for a number; beyond are Slurm's marks, and
// nonsense.
const mostNumber = 1 << 53

func (n *number) parse(text string) error {
	if text == "" {
		return nil
	}
	if u, err := strconv.ParseUint(text, 10, 64); err == nil {
		switch {
		case u == noValue || u == infinite || u == noValue64 || u == infinite64:
			return nil
		case u > mostNumber:
			return fmt.Errorf("is out of range: %.40q", text)
		}
		*n = number(u)
		return nil
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f != f || f < -mostNumber || f > mostNumber {
		return fmt.Errorf("is no number: %.40q", text)
	}
	*n = number(f)
	return nil
}

// seconds is the number as an instant or a duration; what cannot be one is 0, as
// [record.check] tells before.
func (n number) seconds() schedmate.Seconds {
	if n < 0 || schedmate.Seconds(n) > schedmate.MaxSeconds {
		return 0
	}
	return schedmate.Seconds(n)
}

// minutes is a number of minutes as a duration.
func (n number) minutes() schedmate.Seconds {
	if n < 0 || schedmate.Seconds(n) > schedmate.MaxSeconds/60 {
		return 0
	}
	return schedmate.Seconds(n) * 60
}

// count is the number as a count; what cannot be one is 0, as with seconds.
func (n number) count() int {
	if n < 0 || n > mostCount {
		return 0
	}
	return int(n)
}

const mostCount = 1<<31 - 1

// short is a count that Slurm keeps in 16 bits, with marks of its own.
func (n number) short() int {
	if n == noValue16 || n == infiniteShort {
		return 0
	}
	return n.count()
}

// words is a word or a list of them: version 22.05 writes one where later ones
// write lists.
type words []string

func (w *words) UnmarshalJSON(text []byte) error {
	*w = nil
	text = bytes.TrimSpace(text)
	if len(text) == 0 || bytes.Equal(text, []byte("null")) {
		return nil
	}
	if text[0] == '[' {
		var list []string
		if err := json.Unmarshal(text, &list); err != nil {
			return err
		}
		*w = list
		return nil
	}
	var one string
	if err := json.Unmarshal(text, &one); err != nil {
		return err
	}
	if one != "" {
		*w = words{one}
	}
	return nil
}

func (w words) first() string {
	if len(w) == 0 {
		return ""
	}
	return w[0]
}

// text is a text that may be null, or a number in one version.
type text string

func (t *text) UnmarshalJSON(raw []byte) error {
	*t = ""
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		return nil
	}
	if raw[0] != '"' {
		*t = text(raw)
		return nil
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		*t = text(bytes.ToValidUTF8(raw[1:len(raw)-1], []byte("\uFFFD")))
		return nil
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return err
	}
	*t = text(s)
	return nil
}
