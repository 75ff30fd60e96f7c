package failure

import (
	"bytes"
	"regexp"
)

var (
	// valueError names exceptions whose message is about a value of the program: what
	// a device said is quoted in it.
	valueError = regexp.MustCompile(`^(?:\w+\.)*(?:Value|Key|Type|Assertion|Index|Attribute|Name|Lookup|JSONDecode|Unicode\w*|Syntax|Validation)Error$`)
	kernelHead = regexp.MustCompile(`(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT[\d:.,+-]+Z?) [A-Za-z0-9][\w.-]* kernel: `)
	// beforeHead is what collectors of logs put before a line.
	beforeHead = regexp.MustCompile(`^(?:\s+|\[[^\]]*\]:?\s*|<\d+>\s*|[\d:.,TZ+/-]+\s+|\d+:\s*|[\w.-]+\s*\|\s*|(?:stdout|stderr) [FP] )*$`)
	messageKey = regexp.MustCompile(`(?i)"(?:message|msg|log|reason|error|err|exc|exc_info|exception|detail|details|stderr)"\s*:\s*$`)
)

// repeated tells whether somebody repeats in a line what a device or a runtime once
// said: in the message of an exception about a value, between quotes, or with a
// kernel's head behind other words. It is proof of nothing.
func repeated(text []byte, from, to int, block *exception) bool {
	if block != nil && valueError.MatchString(block.name) {
		return true
	}
	if head := kernelHead.FindIndex(text); head != nil && head[0] > 0 && !beforeHead.Match(text[:head[0]]) && !opensMessage(text[:head[0]]) {
		return true
	}
	if block != nil {
		return false
	}
	for _, quote := range []byte{'"', '\'', '`'} {
		if bytes.Count(text[:from], []byte{quote})%2 == 1 && bytes.IndexByte(text[to:], quote) >= 0 && bytes.IndexByte(text[from:to], quote) < 0 {
			return !opensMessage(text[:bytes.LastIndexByte(text[:from], quote)])
		}
	}
	return false
}

// opensMessage tells whether the text ends where a record in JSON says its message.
func opensMessage(text []byte) bool { return messageKey.Match(bytes.TrimRight(text, `"`)) }
