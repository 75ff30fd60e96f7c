package advisor

import (
	"slices"
	"strings"
	"unicode"
)

// secretName tells whether a name says that its value is secret. All of its
// words count: hf_token2, API_KEYS, dbPasswordValue. Names that count, cut or
// spell the tokens of a text do not: num_tokens, tokenizer, pad_token_id.
func secretName(name string) bool {
	words := wordsOf(name)
	if len(words) == 0 || slices.Contains(descriptions, words[len(words)-1]) {
		return false
	}
	for i, word := range words {
		before, last := "", i == len(words)-1
		if i > 0 {
			before = words[i-1]
		}
		switch {
		case slices.Contains(secretWords, word):
			return true
		case word == "key" && slices.Contains(keyKinds, before),
			(word == "string" || word == "str") && (before == "connection" || before == "conn"):
			return true
		case word == "pass" && last:
			if !slices.Contains(passKinds, before) {
				return true
			}
		case word == "pat" && last:
			return true
		case word == "token":
			if (last || slices.Contains(valueWords, words[i+1])) && !slices.ContainsFunc(words, ofText) {
				return true
			}
		}
	}
	return false
}

var (
	secretWords = []string{"secret", "password", "passwd", "pwd", "passphrase", "passcode", "apikey", "credential", "cred", "secretkey", "accesskey",
		"authtoken", "accesstoken", "bearer", "auth", "dsn", "webhook"}
	keyKinds     = []string{"api", "access", "secret", "private", "auth", "ssh", "account", "encryption", "signing", "wandb", "hf", "openai", "comet", "neptune"}
	passKinds    = []string{"forward", "backward", "single", "multi", "first", "second", "one", "two", "num", "n", "each", "per", "max", "low", "high", "band", "full", "by"}
	valueWords   = []string{"value", "string", "str", "secret", "env", "plain", "raw"}
	descriptions = []string{"type", "method", "mode", "kind", "length", "len", "size", "count", "num", "limit", "enabled", "required", "timeout", "ttl", "provider"}
	textWords    = strings.Fields(`pad eos bos unk sep cls mask class special per by image end start begin stop last first next new max min num n total
		train eval val prompt completion generated input output id ids type embed embedding dim level mixer budget vocab word video audio patch visual
		register added extra additional think eot eom query prefix suffix loss batch seq step context target source src tgt label merge drop prune
		pool pos position language lang assistant system role fim noise null empty blank space separator delimiter placeholder initializer instance
		modifier trigger chat decoder encoder forced seen consumed billion million b m`)
)

// ofText tells whether a word beside "token" says that it is one of a text.
func ofText(word string) bool { return slices.Contains(textWords, word) }

// wordsOf splits a name at its marks and where small letters turn to capital
// ones, into small letters without the numbers and the plural at the end of a word.
func wordsOf(name string) []string {
	var words []string
	letters := []rune(name)
	start := 0
	end := func(i int) {
		word := strings.TrimRight(strings.ToLower(string(letters[start:i])), "0123456789")
		if len(word) > 3 && strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") {
			word = word[:len(word)-1]
		}
		if word != "" {
			words = append(words, word)
		}
		start = i
	}
	for i, c := range letters {
		switch {
		case !unicode.IsLetter(c) && !unicode.IsDigit(c):
			end(i)
			start = i + 1
		case i > start && unicode.IsUpper(c) && (!unicode.IsUpper(letters[i-1]) || i+1 < len(letters) && unicode.IsLower(letters[i+1]) && letters[i+1] != 's'):
			end(i)
		}
	}
	end(len(letters))
	return words
}
