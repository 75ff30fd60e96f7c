package logs

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// add appends the field with its name and moves on behind it.
func (s *fieldScanner) add(f Field) {
	if f.Start < s.stamp.Start && f.UnitEnd > s.stamp.Start { // 202E-01-03 13:28:27
		s.i = s.stamp.Start
		return
	}
	from, to := keySpan(s.text[s.gap:max(f.Start, s.gap)], len(s.out) == 0)
	from, to = s.gap+from, s.gap+to
	if to == from {
		from, to = s.nameBehind(f.Start)
	}
	if to > from {
		f.KeyStart, f.KeyEnd = from, to
		s.keyHash, s.ordinal = hashKey(s.text[f.KeyStart:f.KeyEnd]), 0
		for _, earlier := range s.out {
			if earlier.KeyHash == s.keyHash && earlier.KeyEnd > earlier.KeyStart {
				s.ordinal = min(s.ordinal+16, 96)
			}
		}
	} else if len(s.out) > 0 {
		s.ordinal = min(s.ordinal+1, 100)
	}
	f.KeyHash, f.Ordinal = s.keyHash, s.ordinal
	s.out = append(s.out, f)
	s.i, s.gap = f.UnitEnd, f.UnitEnd
}

// keySpan finds the name of a number in the text before it: the last phrase,
// up to a separator. A phrase that is closed by a separator (`50.3% MFU |`)
// belongs to the number before, unless it opens the line or stands between two
// separators, as the cells of a table do.
func keySpan(gap []byte, first bool) (from, to int) {
	gap = withoutPairKey(withoutConstructor(gap))
	to = len(gap)
	closed := false
trim:
	for to > 0 {
		r, size := utf8.DecodeLastRune(gap[:to])
		if unicode.IsLetter(r) || r == '_' || r >= '0' && r <= '9' {
			break
		}
		switch r {
		case ')', ']': // elapsed time per iteration (ms)
			open := byte('(')
			if r == ']' {
				open = '['
			}
			if at := bytes.LastIndexByte(gap[:to], open); at > 0 && to-at > 2 && (isLetter(gap[at-1]) || gap[at-1] == ' ' && at > 1 && isLetter(gap[at-2])) && bytes.IndexByte(gap[at:to], ',') < 0 {
				break trim
			}
			closed = true
		case ',', ';', '|', '，', '；', '│':
			closed = true
		}
		to -= size
	}
	from = phraseStart(gap, to)
	for from < to {
		r, size := utf8.DecodeRune(gap[from:])
		if unicode.IsLetter(r) || r == '_' || r == '(' || r >= '0' && r <= '9' {
			break
		}
		from += size
	}
	if closed && !first && !bytes.ContainsAny(gap[:from], ",;|") {
		return 0, 0
	}
	if bytes.IndexFunc(gap[from:to], unicode.IsLetter) < 0 {
		return 0, 0
	}
	return from, to
}

// phraseStart goes back from to to the separator before the phrase.
func phraseStart(gap []byte, to int) int {
	from, depth := to, 0
	for from > 0 && to-from <= 64 {
		r, size := utf8.DecodeLastRune(gap[:from])
		switch r {
		case ')', ']':
			if from != to && depth == 0 {
				return from
			}
			if from == to {
				depth++
			}
		case '(', '[':
			if depth == 0 {
				return from
			}
			depth--
		case '\'':
			if !apostrophe(gap, from-1) {
				return from
			}
		case ',', ';', '|', '{', '}', '"', '\t', '=', '<', '>', '，', '；', '。', '【', '】', '（', '）', '：', '、', '•', '·', '│', '┃':
			return from
		case ':':
			if depth == 0 {
				return from
			}
		case ' ':
			if before := gap[:from-1]; len(before) > 0 && (before[len(before)-1] == ' ' || before[len(before)-1] == '.' || bytes.HasSuffix(before, []byte(" -"))) {
				return from
			}
		}
		from -= size
	}
	return from
}

// apostrophe tells whether the quote at i stands within a word: valid_0's.
func apostrophe(text []byte, i int) bool {
	return i > 0 && i+1 < len(text) && (isLetter(text[i-1]) || isDigit(text[i-1])) && isLetter(text[i+1])
}

func hashKey(key []byte) uint64 {
	h := uint64(14695981039346656037)
	for i, b := range key {
		switch {
		case isDigit(b):
			if i > 0 && isDigit(key[i-1]) {
				continue // one name, however many digits its number has
			}
			b = '#'
		case b >= 'A' && b <= 'Z':
			b |= 0x20
		}
		h = (h ^ uint64(b)) * 1099511628211
	}
	return h
}
