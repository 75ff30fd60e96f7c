package failure

import (
	"bytes"
	"regexp"
)

// surroundings tell whether a line is said, or only quoted: commands that a shell
// echoes, values of a printed configuration.
type surroundings struct {
	settings int  // lines in a row that set something
	ignored  bool // the interpreter says that it ignores the exception that follows
}

var setting = regexp.MustCompile(`^\s*(?:- )?["']?[A-Za-z_][\w. -]{0,60}["']?\s*(?:=|:|\.{3,})\s*\S`)

func (c *surroundings) read(text []byte) {
	c.ignored = bytes.HasPrefix(text, ignoredException)
	if head := text[:min(len(text), 200)]; bytes.ContainsAny(head, ":=.") && setting.Match(head) && !ownException.Match(head) {
		c.settings++
	} else {
		c.settings = 0
	}
}

// ownException begins a line that is an exception and sets nothing.
var ownException = regexp.MustCompile(`^(?:\w+\.)*[A-Z]\w*(?:Error|Exception): `)

// ignoredException begins the line before an exception that Python's finalisers
// raise: it ends nothing.
var ignoredException = []byte("Exception ignored ")

// quotes tells whether the part of a line from..to is quoted: it is in an
// echoed command, a pattern, or the value of a setting among settings.
func (c *surroundings) quotes(text []byte, from, to int) bool {
	trimmed := bytes.TrimLeft(text, " ")
	if bytes.HasPrefix(trimmed, []byte("+ ")) || bytes.HasPrefix(trimmed, []byte("++ ")) || bytes.HasPrefix(trimmed, []byte("$ ")) {
		return true
	}
	if bytes.Contains(text[max(0, from-3):min(len(text), to+3)], []byte(".*")) { // a pattern that looks for it
		return true
	}
	if commit.Match(trimmed) { // all of it says what somebody changed
		return true
	}
	if describedOption.Match(trimmed) { // all of it says what an option does
		return true
	}
	if optionHelp.Match(trimmed) || bytes.HasPrefix(trimmed, []byte("{")) && !logKey.Match(text) {
		return inQuotes(text, from, to)
	}
	return c.settings >= 3 && inQuotes(text, from, to)
}

var (
	commit          = regexp.MustCompile(`^[*-] [0-9a-f]{7,40} [A-Za-z]`)
	optionHelp      = regexp.MustCompile(`^--?[A-Za-z][\w-]*(?:,| |=)`)
	describedOption = regexp.MustCompile(`^--?[A-Za-z][\w-]*(?:[ =,][^ ]+)*\s{2,}[A-Za-z]`)
	// logKey is a name that the message of a logger in JSON has, and a printed
	// configuration has not.
	logKey = regexp.MustCompile(`(?i)"(?:msg|message|log|level|severity|levelname|event|text|error|exception|err|reason|stderr)"\s*:`)
)

var (
	savingWords     = [][]byte{[]byte("saving"), []byte("save "), []byte("writing"), []byte("dumping"), []byte("gathering"), []byte("保存")}
	checkpointWords = [][]byte{[]byte("checkpoint"), []byte("ckpt"), []byte("state_dict"), []byte("state dict"), []byte("model"), []byte("weights"), []byte("检查点")}
)

// trainingWords are in records of training; bars of what a job loads at its start
// have none.
var trainingWords = [][]byte{[]byte("loss"), []byte("step"), []byte("epoch"), []byte("iter"), []byte("损失"), []byte("reward"), []byte("lr")}

// tellsSaving tells whether a line, in lower case, speaks of a checkpoint that is
// being written.
func tellsSaving(lower []byte) bool {
	return len(lower) < 2048 && containsAny(lower, savingWords) && containsAny(lower, checkpointWords)
}

// debugLevel tells whether a logger says that a line is for its developers.
func debugLevel(text []byte) bool {
	head := text[:min(len(text), 160)]
	return bytes.Contains(head, []byte(" DEBUG ")) || bytes.Contains(head, []byte("[DEBUG]")) || bytes.Contains(head, []byte(`"level": "debug"`)) || bytes.Contains(head, []byte(`"level":"debug"`)) || bytes.Contains(head, []byte("DEBUG:"))
}

// inQuotes tells whether the part stands between quotes of one kind.
func inQuotes(text []byte, from, to int) bool {
	for _, q := range []byte{'"', '\'', '`'} {
		if bytes.Count(text[:from], []byte{q})%2 == 1 && bytes.IndexByte(text[to:], q) >= 0 {
			return true
		}
	}
	return false
}
