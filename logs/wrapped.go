package logs

import "bytes"

// constructors are what programs print around a number that is an object of
// theirs: tensor(0.25, device='cuda:0'), np.float64(0.25), Array(0.25, dtype=float32).
var constructors = map[string]bool{
	"tensor": true, "array": true, "devicearray": true, "scalar": true,
	"float": true, "float16": true, "bfloat16": true, "float32": true, "float64": true, "int32": true, "int64": true,
}

// withoutConstructor leaves out the constructor's name that the text before a
// number ends with.
func withoutConstructor(gap []byte) []byte {
	if len(gap) < 2 || gap[len(gap)-1] != '(' {
		return gap
	}
	from := len(gap) - 1
	for from > 0 && (isLetter(gap[from-1]) || isDigit(gap[from-1])) {
		from--
	}
	name := gap[from : len(gap)-1]
	if len(name) > 12 || !constructors[string(bytes.ToLower(name))] {
		return gap
	}
	for from > 1 && gap[from-1] == '.' && isLetter(gap[from-2]) { // np., torch.
		for from--; from > 0 && isLetter(gap[from-1]); from-- {
		}
	}
	return gap[:from]
}

// withoutPairKey leaves out the key of a pair that the text before a number ends
// with, `[(0, '`: the number has the name of the list.
func withoutPairKey(gap []byte) []byte {
	to := len(bytes.TrimRight(gap, `'"-`))
	key := bytes.TrimSuffix(gap[:to], []byte(", "))
	from := len(bytes.TrimRight(key, "0123456789"))
	if len(key) == to || from == len(key) || !bytes.HasSuffix(key[:from], []byte("[(")) {
		return gap
	}
	return key[:from]
}

// numberType tells whether a word before digits names a type: float32.
func numberType(word []byte) bool {
	switch string(word) {
	case "float", "bfloat", "uint", "complex":
		return true
	}
	return false
}

// nameBehind splits `loss at iteration 31550: 4.13`: the name of the number 4.13,
// which begins at start, stands before the name of the one before. The name of
// that is what follows `at`.
func (s *fieldScanner) nameBehind(start int) (from, to int) {
	last := len(s.out) - 1
	if last >= 0 && s.out[last].Kind == Whole {
		last--
	}
	if last < 0 || string(bytes.TrimRight(s.text[min(s.gap, start):start], " ")) != ":" {
		return 0, 0
	}
	f := &s.out[last]
	key := s.text[f.KeyStart:f.KeyEnd]
	for _, word := range []string{" at ", " after "} {
		at := bytes.LastIndex(key, []byte(word))
		if at <= 0 || !f.Integer {
			continue
		}
		from, to = f.KeyStart, f.KeyStart+at
		f.KeyStart += at + len(word)
		f.KeyHash = hashKey(s.text[f.KeyStart:f.KeyEnd])
		if s.out[len(s.out)-1].Kind == Whole {
			s.out[len(s.out)-1].KeyHash = f.KeyHash
		}
		return from, to
	}
	return 0, 0
}
