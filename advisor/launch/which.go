package launch

import "strings"

// which is taken to find what it is asked for; whether it does is known of the
// tool that comes with the GPUs alone.
func which(s *shell, args []value) (value, truth) {
	if len(args) == 0 {
		return nil, no
	}
	return append(args[len(args)-1], frag{text: "\n"}), s.there(args)
}

// there tells whether a program would be found.
func (s *shell) there(args []value) truth {
	if len(args) == 0 {
		return no
	}
	name := args[len(args)-1]
	_, function := s.funcs[name.text()]
	_, builtin := builtins[name.text()]
	gpus := s.visible()
	switch {
	case !name.known():
	case function, builtin:
		return yes
	case name.is("nvidia-smi") && gpus.Known:
		return truthOf(gpus.N > 0)
	}
	return maybe
}

// commandWord is "command -v name", a question, or "command name words".
func (s *shell) commandWord(args []value) truth {
	if len(args) > 0 && (strings.HasPrefix(args[0].text(), "-v") || strings.HasPrefix(args[0].text(), "-V")) {
		printed, status := which(s, args[1:])
		s.print(printed)
		return status
	}
	for len(args) > 0 && args[0].is("-p") {
		args = args[1:]
	}
	return s.run(args)
}
