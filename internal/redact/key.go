package redact

import (
	"regexp"
	"strings"
)

// privateKey follows a PEM private key over the lines of a text: after its head
// each line is one of the key, until its foot or a line that cannot be.
type privateKey struct {
	open   bool
	lines  int
	column int // where its head began, behind what a logger puts before it
}

const privateKeyKind = "private-key"

const maxKeyLines = 200 // of 64 characters: more than an RSA key of 16,384 bits has

var (
	keyHead   = regexp.MustCompile(`^(.*)-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----\s*$`)
	keyLine   = regexp.MustCompile(`[A-Za-z0-9+/]+={0,2}\s*$`)
	keyHeader = regexp.MustCompile(`(?:Proc-Type|DEK-Info|Comment|Version): [^‹]*$`)
)

// read takes a line that is not within a key.
func (k *privateKey) read(line string) {
	if !strings.Contains(line, "PRIVATE KEY") {
		return
	}
	if m := keyHead.FindStringSubmatchIndex(line); m != nil {
		k.open, k.lines, k.column = true, 0, m[3]
	}
}

// body redacts a line of the key, and tells whether it is one: nothing but
// base64 where the head began, or much of it at the end.
func (k *privateKey) body(line string) (string, bool) {
	if !k.open {
		return "", false
	}
	k.open = false
	if k.lines++; k.lines > maxKeyLines || strings.Contains(line, "-----") {
		return "", false
	}
	if strings.TrimSpace(line) == "" || strings.HasSuffix(line, mark(privateKeyKind)) {
		k.open = true
		return line, true
	}
	at := keyHeader.FindStringIndex(line)
	if at == nil {
		at = keyLine.FindStringIndex(line)
	}
	if at == nil || at[0] != k.column && at[0] != 0 && at[1]-at[0] < 40 {
		return "", false
	}
	k.open = true
	return line[:at[0]] + mark(privateKeyKind), true
}
