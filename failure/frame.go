package failure

import (
	"path"
	"regexp"
	"strings"
)

var (
	pythonFrame = regexp.MustCompile(`^\s*(?:[│|]\s*)?File "([^"\n]+)", line (\d+)(?:, in ([^\n]{1,80}))?`)
	boxedFrame  = regexp.MustCompile(`^\s*│?\s*((?:/|[A-Za-z]:\\|<)[^\s:]+\.pyx?):(\d+) in ([^\s│]{1,80})`)
	// installed files are of Python itself, of its packages and of launchers.
	installed = regexp.MustCompile(`[/\\](?:site|dist)-packages[/\\]|[/\\]lib(?:64)?[/\\](?:python|pypy)[^/\\]*[/\\]|[/\\]Python\d*[/\\]Lib[/\\]|^<|/bin/[^/.]+$`)
)

// ownFrame is the frame of a line of the stack as people name it, such as
// "train.py:88, load_batch", "" for one of what is installed.
func ownFrame(body []byte) string {
	m := pythonFrame.FindSubmatch(body)
	if m == nil {
		m = boxedFrame.FindSubmatch(body)
	}
	if m == nil || installed.Match(m[1]) {
		return ""
	}
	frame := path.Base(strings.ReplaceAll(string(m[1]), `\`, "/")) + ":" + string(m[2])
	if in := strings.TrimSpace(string(m[3])); in != "" && in != "<module>" {
		frame += ", " + in
	}
	return frame
}
