package launch

import (
	"math/big"
	"path"
	"strconv"
	"strings"

	"schedmate/advisor/origin"
)

// printers are the programs whose output follows from their words or from
// what was asked for; scripts use them inside $(...).
var printers map[string]func(*shell, []value) (value, truth)

func init() {
	printers = map[string]func(*shell, []value) (value, truth){
		"echo": echo, "which": which, "printf": printf, "expr": expr, "bc": calculator, "seq": seq,
		"dirname":  pathPart(path.Dir),
		"basename": baseName, "pwd": func(s *shell, _ []value) (value, truth) { return literal(s.pwd()+"\n", nil), yes },
		"realpath": (*shell).realpath, "readlink": (*shell).realpath,
		"nvidia-smi": gpuList, "scontrol": hostList, "nproc": cpuCount,
		"wc": wordCount, "tr": translate, "head": head, "tail": head, "cut": cut, "awk": awk, "sed": sed,
		"cat": (*shell).cat, "tee": (*shell).tee,
	}
}

func itoa(n int) string { return strconv.Itoa(n) }

func unread(name string) value { return value{{text: "$(" + name + ")", unknown: true}} }

func echo(_ *shell, args []value) (value, truth) {
	end := "\n"
	for len(args) > 0 && (args[0].is("-n") || args[0].is("-e") || args[0].is("-ne") || args[0].is("-en")) {
		if strings.Contains(args[0].text(), "n") {
			end = ""
		}
		args = args[1:]
	}
	return append(join(args, " "), frag{text: end}), yes
}

// printf handles %s, %d and %i; -v stores the text in a variable.
func printf(s *shell, args []value) (value, truth) {
	target := ""
	if len(args) > 2 && args[0].is("-v") {
		target, args = args[1].text(), args[2:]
	}
	if len(args) == 0 {
		return nil, yes
	}
	out := format(ansi.Replace(args[0].text()), args[1:])
	if !args[0].known() {
		out = unread("printf")
	}
	if target != "" {
		s.set(target, out)
		return nil, yes
	}
	return out, yes
}

func format(f string, args []value) value {
	var out value
	for rounds := 0; rounds < 1000; rounds++ {
		before := len(args)
		rest := f
		for {
			i := strings.IndexByte(rest, '%')
			if i < 0 || i+1 == len(rest) {
				out = append(out, frag{text: rest})
				break
			}
			out = append(out, frag{text: rest[:i]})
			verb := rest[i+1]
			rest = rest[i+2:]
			switch {
			case verb == '%':
				out = append(out, frag{text: "%"})
			case strings.IndexByte("sdiqb", verb) < 0:
				return unread("printf")
			case len(args) > 0:
				out = append(out, args[0]...)
				args = args[1:]
			}
		}
		if len(args) == 0 || len(args) == before {
			break
		}
	}
	return out
}

// expr computes "a op b" of whole numbers, from left to right.
func expr(s *shell, args []value) (value, truth) {
	if len(args) == 0 || len(args) > 50 || !join(args, " ").known() {
		return value{{text: "$(expr)", unknown: true, solid: true, from: join(args, " ").origin()}}, maybe
	}
	text := join(args, " ").text()
	if n, ok := s.computed(text); ok && !strings.ContainsAny(text, "=<>|&:") {
		return literal(strconv.FormatInt(n, 10)+"\n", join(args, " ").origin()), truthOf(n != 0)
	}
	return unread("expr"), maybe
}

// calculator is "echo '1.5 * 4' | bc": one operation of two numbers.
func calculator(s *shell, _ []value) (value, truth) {
	words := splitWords(s.in)
	if s.hasIn && s.in.known() && len(words) == 3 {
		x, ok1 := new(big.Rat).SetString(clip(words[0].text(), 30))
		y, ok2 := new(big.Rat).SetString(clip(words[2].text(), 30))
		if ok1 && ok2 && !strings.ContainsAny(words[0].text()+words[2].text(), "eE/") && words[1].is("*") {
			product := strings.TrimRight(strings.TrimRight(x.Mul(x, y).FloatString(12), "0"), ".")
			return literal(product+"\n", s.in.origin()), yes
		}
	}
	if n, ok := s.computed(strings.TrimSpace(s.in.text())); ok && s.hasIn && s.in.known() {
		return literal(strconv.FormatInt(n, 10)+"\n", s.in.origin()), yes
	}
	return unread("bc"), maybe
}

func seq(_ *shell, args []value) (value, truth) {
	low, step, top := int64(1), int64(1), int64(0)
	var ns []int64
	between := "\n"
	for i := 0; i < len(args); i++ {
		a := args[i]
		if strings.HasPrefix(a.text(), "-s") && a.known() {
			if between = a.text()[2:]; between == "" && i+1 < len(args) {
				i++
				between = args[i].text()
			}
			continue
		}
		n, ok := integer(a.text())
		if !a.known() || !ok {
			return unread("seq"), yes
		}
		ns = append(ns, n)
	}
	switch len(ns) {
	case 1:
		top = ns[0]
	case 2:
		low, top = ns[0], ns[1]
	case 3:
		low, step, top = ns[0], ns[1], ns[2]
	default:
		return unread("seq"), yes
	}
	if step == 0 || (top-low)/step > 10_000 {
		return unread("seq"), yes
	}
	var b strings.Builder
	for n := low; (step > 0 && n <= top) || (step < 0 && n >= top); n += step {
		if b.Len() > 0 {
			b.WriteString(between)
		}
		b.WriteString(strconv.FormatInt(n, 10))
	}
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
	return literal(b.String(), join(args, " ").origin()), yes
}

func pathPart(f func(string) string) func(*shell, []value) (value, truth) {
	return func(_ *shell, args []value) (value, truth) {
		for len(args) > 1 && strings.HasPrefix(args[0].text(), "-") {
			args = args[1:]
		}
		if len(args) == 0 || !args[0].known() {
			return unread("dirname"), yes
		}
		dir := f(args[0].text())
		if strings.HasPrefix(args[0].text(), "./") && !strings.HasPrefix(dir, ".") {
			dir = "./" + dir
		}
		return literal(dir+"\n", args[0].origin()), yes
	}
}

func baseName(_ *shell, args []value) (value, truth) {
	if len(args) == 0 || !join(args, " ").known() {
		return value{{text: "$(basename)", unknown: true, solid: true}}, yes
	}
	base := path.Base(args[0].text())
	if len(args) > 1 {
		base = strings.TrimSuffix(base, args[1].text())
	}
	return literal(base+"\n", args[0].origin()), yes
}

func (s *shell) realpath(args []value) (value, truth) {
	for len(args) > 1 && strings.HasPrefix(args[0].text(), "-") {
		args = args[1:]
	}
	if len(args) == 0 || !args[0].known() {
		return unread("realpath"), yes
	}
	if p, ok := s.path(args[0].text()); ok { // names stay relative, so the folder has to be the root's
		return literal("./"+strings.Repeat("../", depthOf(s.dir))+p+"\n", args[0].origin()), yes
	}
	return append(args[0], frag{text: "\n"}), yes
}

func depthOf(dir string) int {
	if dir == "." {
		return 0
	}
	return strings.Count(dir, "/") + 1
}

// lines prints n lines of text that no program needs to know.
func lines(n int, name string, header bool, from *origin.Origin) value {
	var v value
	if header {
		v = append(v, frag{text: "name\n", from: from})
	}
	for i := 0; i < n && i < 4096; i++ {
		v = append(v, frag{text: name + itoa(i), unknown: true, solid: true, from: from}, frag{text: "\n", from: from})
	}
	return v
}

func gpuList(s *shell, args []value) (value, truth) {
	text := join(args, " ").text()
	gpus := s.visible()
	switch {
	case !gpus.Known || s.out == nil:
	case strings.Contains(text, "-L"), strings.Contains(text, "--list-gpus"):
		return lines(gpus.N, "GPU", false, gpus.Origin), yes
	case strings.Contains(text, "--query-gpu") && strings.Contains(text, "csv"):
		return lines(gpus.N, "GPU", !strings.Contains(text, "noheader"), gpus.Origin), yes
	}
	return unread("nvidia-smi"), maybe
}

func hostList(s *shell, args []value) (value, truth) {
	nodes := s.m.launch.Requested.Nodes
	if len(args) > 1 && args[0].is("show") && strings.HasPrefix(args[1].text(), "hostname") && nodes.Known {
		return lines(nodes.N, "node", false, nodes.Origin), yes
	}
	return unread("scontrol"), yes
}

func cpuCount(s *shell, _ []value) (value, truth) {
	if c := s.m.launch.Requested.CPUsPerTask; c.Known {
		return literal(itoa(c.N)+"\n", c.Origin), yes
	}
	return value{{text: "$(nproc)", unknown: true, solid: true}}, yes
}

func wordCount(s *shell, args []value) (value, truth) {
	option := join(args, "").text()
	if !s.hasIn || !s.in.solid() || (option != "-l" && option != "-w") {
		return value{{text: "$(wc " + option + ")", unknown: true, solid: true}}, yes
	}
	n := len(splitWords(s.in))
	if option == "-l" {
		n = 0
		for _, f := range s.in {
			if !f.unknown {
				n += strings.Count(f.text, "\n")
			}
		}
	}
	return literal(itoa(n)+"\n", s.in.origin()), yes
}

// filter maps what is on standard input when it is wholly known. Without a map
// the output is unknown.
func (s *shell) filter(name string, f func(string) (string, bool)) (value, truth) {
	if f != nil && s.hasIn && s.in.known() {
		if text, ok := f(s.in.text()); ok && len(text) <= maxBytes {
			return literal(text, s.in.origin()), yes
		}
	}
	return value{{text: "$(" + name + ")", unknown: true, solid: s.hasIn && s.in.solid()}}, yes
}

func translate(s *shell, args []value) (value, truth) {
	return s.filter("tr", func(in string) (string, bool) {
		if len(args) != 2 || !args[0].known() || !args[1].known() {
			return "", false
		}
		if args[0].is("-d") {
			return strings.Map(func(r rune) rune {
				if strings.ContainsRune(ansi.Replace(args[1].text()), r) {
					return -1
				}
				return r
			}, in), !strings.Contains(args[1].text(), "[")
		}
		from, to := ansi.Replace(args[0].text()), ansi.Replace(args[1].text())
		if len(from) != 1 || len(to) != 1 {
			return "", false
		}
		return strings.ReplaceAll(in, from, to), true
	})
}

// head gives the first line, tail the last; of more lines nothing is known.
func head(s *shell, args []value) (value, truth) {
	option := strings.NewReplacer("-n", "", "-", "", " ", "").Replace(join(args, "").text())
	if option == "1" && s.hasIn && s.in.solid() {
		line, _ := firstLine(s.in)
		return append(line, frag{text: "\n"}), yes
	}
	return value{{text: "$(head)", unknown: true, solid: option == "1"}}, yes
}

func cut(s *shell, args []value) (value, truth) {
	delimiter, field := "\t", 0
	for i := 0; i < len(args); i++ {
		a := args[i].text()
		if len(a) == 2 && i+1 < len(args) {
			a += args[i+1].text()
			i++
		}
		switch {
		case strings.HasPrefix(a, "-d"):
			delimiter = strings.Trim(a[2:], `'"`)
		case strings.HasPrefix(a, "-f"):
			field, _ = strconv.Atoi(a[2:])
		}
	}
	return s.filter("cut", func(in string) (string, bool) {
		parts := strings.Split(strings.TrimRight(in, "\n"), delimiter)
		if field < 1 || strings.Contains(strings.TrimRight(in, "\n"), "\n") || delimiter == "" {
			return "", false
		}
		if field > len(parts) {
			return "\n", true
		}
		return parts[field-1] + "\n", true
	})
}

// awk is followed in its one common use, counting fields.
func awk(s *shell, args []value) (value, truth) {
	delimiter := " "
	text := join(args, " ").text()
	for i, a := range args {
		if strings.HasPrefix(a.text(), "-F") {
			if delimiter = a.text()[2:]; delimiter == "" && i+1 < len(args) {
				delimiter = args[i+1].text()
			}
		}
	}
	return s.filter("awk", func(in string) (string, bool) {
		if !strings.Contains(text, "{print NF}") && !strings.Contains(text, "{ print NF }") {
			return "", false
		}
		if delimiter == " " {
			return itoa(len(strings.Fields(in))) + "\n", true
		}
		return itoa(len(strings.Split(strings.TrimSpace(in), delimiter))) + "\n", delimiter != ""
	})
}

func (s *shell) cat(args []value) (value, truth) {
	var all value
	files := 0
	for _, a := range args {
		if !strings.HasPrefix(a.text(), "-") {
			all = append(all, s.content(a)...)
			files++
		}
	}
	if files == 0 && s.hasIn {
		return s.in, yes
	}
	return all, yes
}

// tee passes its input on; what it writes is known only as a whole text.
func (s *shell) tee(args []value) (value, truth) {
	for _, a := range args {
		if s.hasIn && !strings.HasPrefix(a.text(), "-") {
			s.write(a, s.in, false)
		}
	}
	return s.in, yes
}
