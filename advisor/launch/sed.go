package launch

import (
	"regexp"
	"strings"
)

// sed is followed where all that it does is to substitute, "s/a/b/g", on a
// known input.
func sed(s *shell, args []value) (value, truth) {
	extended := false
	var scripts []string
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case !a.known():
			return s.filter("sed", nil)
		case a.is("-E"), a.is("-r"):
			extended = true
		case a.is("-e") && i+1 < len(args):
			i++
			scripts = append(scripts, args[i].text())
		case strings.HasPrefix(a.text(), "-"), len(scripts) > 0: // -i, -n, a file
			return s.filter("sed", nil)
		default:
			scripts = append(scripts, a.text())
		}
	}
	var steps []substitution
	for _, script := range scripts {
		for one := range strings.SplitSeq(script, ";") {
			step, ok := parseSubstitution(strings.TrimSpace(one), extended)
			if !ok {
				return s.filter("sed", nil)
			}
			steps = append(steps, step)
		}
	}
	return s.filter("sed", func(in string) (string, bool) {
		if len(in)*(1+len(steps)) > maxBytes/16 {
			return "", false
		}
		lines := strings.SplitAfter(in, "\n")
		for i, line := range lines {
			text, end := strings.TrimSuffix(line, "\n"), ""
			if text != line {
				end = "\n"
			}
			for _, step := range steps {
				text = step.apply(text)
			}
			lines[i] = text + end
		}
		return strings.Join(lines, ""), true
	})
}

// substitution is one "s/from/to/" of sed.
type substitution struct {
	from *regexp.Regexp
	to   string // in the notation of package regexp
	all  bool
}

func parseSubstitution(text string, extended bool) (substitution, bool) {
	if len(text) < 4 || text[0] != 's' || len(text) > 400 {
		return substitution{}, false
	}
	parts := strings.Split(text[2:], text[1:2])
	if len(parts) != 3 || (parts[2] != "" && parts[2] != "g") || strings.HasSuffix(parts[0], `\`) {
		return substitution{}, false
	}
	from := parts[0]
	if !extended {
		from = basic(from)
	}
	re, err := regexp.Compile(from)
	if err != nil {
		return substitution{}, false
	}
	var to strings.Builder
	for i := 0; i < len(parts[1]); i++ {
		switch c := parts[1][i]; {
		case c == '&':
			to.WriteString("${0}")
		case c == '$':
			to.WriteString("$$")
		case c == '\\' && i+1 < len(parts[1]):
			i++
			if d := parts[1][i]; d >= '0' && d <= '9' {
				to.WriteString("${" + string(d) + "}")
			} else if d == 'n' {
				to.WriteByte('\n')
			} else {
				to.WriteByte(d)
			}
		default:
			to.WriteByte(c)
		}
	}
	return substitution{re, to.String(), parts[2] == "g"}, true
}

// basic turns a basic regular expression into an extended one: there, the
// signs + ? | ( ) { } mean something only behind a backslash.
func basic(re string) string {
	var b strings.Builder
	for i := 0; i < len(re); i++ {
		c := re[i]
		switch {
		case c == '\\' && i+1 < len(re) && strings.IndexByte("+?|(){}", re[i+1]) >= 0:
			i++
			b.WriteByte(re[i])
		case c == '\\' && i+1 < len(re):
			b.WriteString(re[i : i+2])
			i++
		case strings.IndexByte("+?|(){}", c) >= 0:
			b.WriteString(`\` + string(c))
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func (x substitution) apply(line string) string {
	if x.all {
		return x.from.ReplaceAllString(line, x.to)
	}
	at := x.from.FindStringSubmatchIndex(line)
	if at == nil {
		return line
	}
	return line[:at[0]] + string(x.from.ExpandString(nil, x.to, line, at)) + line[at[1]:]
}
