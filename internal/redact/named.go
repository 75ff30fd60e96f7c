package redact

import (
	"regexp"
	"strings"
)

// secretNames are parts of the names that speak of secrets.
var secretNames = []string{"pass", "pwd", "secret", "token", "key", "cred", "auth", "jwt", "bearer"}

// strength is how far a name alone speaks for a secret.
type strength int

const (
	noSecret strength = iota
	maybe             // the value must look like one: token=...
	surely            // any value is one: password=...
)

// findNamed adds the values behind names that say that they are secret:
// NAME=value, "name": "value", name => value, --name value, and all of it with
// the quotes escaped, as in JSON within JSON.
func findNamed(found []secret, text string) []secret {
	lower := lowerASCII(text)
	next := make([]int, len(secretNames)) // where each is found next
	for at := 0; ; {
		first := len(text)
		for i, name := range secretNames {
			if next[i] < at || at == 0 {
				next[i] = len(text)
				if k := strings.Index(lower[at:], name); k >= 0 {
					next[i] = at + k
				}
			}
			first = min(first, next[i])
		}
		if first == len(text) {
			return found
		}
		begin, end := identifier(text, at, first)
		s, ok := assigned(text, lower, begin, end)
		if at = end; ok {
			found = append(found, s)
			at = s.to
		}
	}
}

// identifier is the name around an index, from the place where it may begin.
func identifier(text string, from, at int) (begin, end int) {
	part := func(c byte) bool { return isWord(c) || c == '_' || c == '-' || c == '.' }
	for begin = at; begin > from && part(text[begin-1]); begin-- {
	}
	for end = at; end < len(text) && part(text[end]); end++ {
	}
	return begin, end
}

// assigned is the secret that is given to the name at begin to end, if it is one.
func assigned(text, lower string, begin, end int) (secret, bool) {
	name := strings.TrimLeft(text[begin:end], "-.")
	option := strings.HasPrefix(text[begin:end], "--") && !withinWord(text, begin)
	from, how := separator(text, end)
	if how == notAssigned || how == bySpace && !option {
		return secret{}, false
	}
	sure, kind := judge(name)
	if strings.EqualFold(name, "key") && secretKeys[wordBefore(lower, begin)] { // API key: ...
		sure, kind = maybe, "key"
	}
	if sure == noSecret || how == byColon && begin > 0 && text[begin-1] == '/' { // /etc/passwd: ...
		return secret{}, false
	}
	from, to, quoted := value(text, from)
	v := text[from:to]
	switch {
	case strings.Contains(v, markOpen) || strings.HasPrefix(text[to:], markOpen) || harmless(v):
	case how == bySpace && strings.HasPrefix(v, "-"): // the next option
	case sure == maybe && !tokenLike(v) && !(kind == "token" && allCaps(name) && len(v) >= 6 && !numeric(v)):
	case sure == surely && !quoted && how == byColon && proseWord(v):
	default:
		return secret{from, to, kind}, true
	}
	return secret{}, false
}

// giving is how a name is given its value.
type giving int

const (
	notAssigned giving = iota
	bySpace
	byColon // and a space, as in a sentence
	bySign
)

// separator reads what stands between a name and its value: quotes that may be
// escaped, a bracket, the sign with a few spaces. It returns where the value
// begins.
func separator(text string, at int) (int, giving) {
	skip := func(chars string, most int) bool {
		n := 0
		for n < most && at < len(text) && strings.IndexByte(chars, text[at]) >= 0 {
			at, n = at+1, n+1
		}
		return n > 0
	}
	closed := skip(`\`, 8)
	closed = skip(`"'`, 1) || closed
	closed = skip("]", 1) || closed
	spaced := skip(" \t", 4)
	for _, sign := range []string{"=>", ":=", "==", "=", ":"} {
		if strings.HasPrefix(text[at:], sign) {
			at += len(sign)
			if skip(" \t", 4) && sign == ":" && !closed {
				return at, byColon
			}
			return at, bySign
		}
	}
	if spaced && !closed {
		return at, bySpace
	}
	return at, notAssigned
}

// lowerASCII is the text with its ASCII letters in lower case, so that places in
// both are the same.
func lowerASCII(text string) string {
	b := []byte(text)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// wordBefore is the word that stands a space before an index.
func wordBefore(text string, i int) string {
	if i == 0 || text[i-1] != ' ' {
		return ""
	}
	from := i - 1
	for from > 0 && isWord(text[from-1]) && i-from < 20 {
		from--
	}
	return text[from : i-1]
}

// maxValue is how far the end of a value is looked for, so that the time stays
// linear. No secret in use is as long.
const maxValue = 4096

// value is where the value that begins at an index stands, without its quotes.
func value(text string, at int) (from, to int, quoted bool) {
	rest := text[at:min(len(text), at+maxValue)]
	open := len(rest) - len(strings.TrimLeft(rest, `\`))
	for _, prefix := range []string{"b", "r", "u", "f", ""} { // of a string in Python
		q := open + len(prefix)
		if !strings.HasPrefix(rest[open:], prefix) || q >= len(rest) || rest[q] != '"' && rest[q] != '\'' {
			continue
		}
		for i := q + 1; i < len(rest); i++ {
			if rest[i] == '\\' && open == 0 {
				i++
				continue
			}
			if rest[i] == rest[q] {
				end := i
				for open > 0 && end > q+1 && rest[end-1] == '\\' {
					end--
				}
				return at + q + 1, at + end, true
			}
		}
		return bare(text, at+q+1) // the closing quote was cut off
	}
	return bare(text, at)
}

var nextSetting = regexp.MustCompile(`[,&][ \t]{0,4}\\*["']?[A-Za-z_][A-Za-z0-9_.-]{0,60}\\*["']?[ \t]{0,4}[=:]`)

// bare is where a value without quotes stands: up to a space, a quote or the
// next setting.
func bare(text string, at int) (from, to int, quoted bool) {
	v := text[at:min(len(text), at+maxValue)]
	if i := strings.IndexAny(v, " \t\"'`;|<>‹›"); i >= 0 {
		v = v[:i]
	}
	if m := nextSetting.FindStringIndex(v); m != nil {
		v = v[:m[0]]
	}
	v = strings.TrimRight(v, `,)]}.:\`)
	return at, at + len(v), false
}

// words splits a name at its marks and capitals, into lower case: HF_TOKEN,
// hf-token and hfToken alike.
func words(name string) []string {
	var out []string
	begin := 0
	add := func(end int) {
		if end > begin {
			out = append(out, strings.ToLower(name[begin:end]))
		}
		begin = end
	}
	for i := range len(name) {
		switch c := name[i]; {
		case !isWord(c):
			add(i)
			begin = i + 1
		case i > 0 && c >= 'A' && c <= 'Z' && name[i-1] >= 'a' && name[i-1] <= 'z':
			add(i)
		}
	}
	add(len(name))
	return out
}

var (
	// notItself: a name that ends in one of these tells of a secret and holds none.
	notItself = set("id", "ids", "file", "files", "path", "dir", "folder", "url", "uri", "name", "names", "type", "types", "count", "len", "length",
		"size", "limit", "num", "ttl", "expiry", "expires", "expiration", "policy", "prefix", "suffix", "usage", "budget", "index", "env", "var",
		"loss", "acc", "accuracy", "rate", "ratio", "dim", "mask", "masks", "list", "version", "format", "mode", "required", "enabled", "valid",
		"ref", "arn", "errors", "error", "manager", "provider", "store", "vault", "scope", "scopes", "cache")
	// vocabulary: a token with one of these before it is one of a language model.
	vocabulary = set("eos", "bos", "pad", "unk", "sep", "cls", "mask", "image", "img", "audio", "video", "vision", "special", "start", "end", "begin",
		"stop", "next", "last", "first", "prev", "previous", "per", "each", "every", "max", "min", "num", "n", "avg", "mean", "total", "new", "single",
		"think", "tool", "additional", "decoder", "forced", "prompt", "input", "output", "word", "sub", "cur", "current", "bad", "added", "rare", "oov",
		"context", "draft", "target", "mem", "memory", "reg", "register", "class", "distill", "dist", "cont", "continuation", "page", "query", "latent", "s", "ms", "us")
	// keys that are secret by the word before them.
	secretKeys = set("api", "access", "secret", "private", "account", "signing", "encryption", "license", "licence", "ssh", "master", "auth", "service",
		"subscription", "storage", "shared", "deploy", "client", "hmac", "webhook", "apikey", "openai", "anthropic", "wandb", "hf", "ngc", "aws", "azure", "gcp", "comet", "neptune", "mlflow", "clearml", "swanlab")
)

func set(names ...string) map[string]bool {
	s := make(map[string]bool, len(names))
	for _, n := range names {
		s[n] = true
	}
	return s
}

// judge tells what a name says of its value.
func judge(name string) (strength, string) {
	if name == "PWD" || name == "OLDPWD" { // the working directory
		return noSecret, ""
	}
	w := words(name)
	if len(w) == 0 || notItself[w[len(w)-1]] {
		return noSecret, ""
	}
	for i, word := range w {
		if strings.HasSuffix(word, "password") || strings.HasSuffix(word, "passwd") { // also PGPASSWORD
			return surely, "password"
		}
		before, last := "", i == len(w)-1
		if i > 0 {
			before = w[i-1]
		}
		switch word {
		case "passphrase", "pwd", "sshpass":
			return surely, "password"
		case "pass":
			if last && (before == "db" || before == "user" || before == "redis" || before == "smtp" || before == "mysql" || before == "ssh") {
				return surely, "password"
			}
		case "secret", "clientsecret":
			return surely, "secret"
		case "secrets":
			return maybe, "secret"
		case "credential", "credentials":
			return maybe, "credential"
		case "apikey", "accesskey", "secretkey", "privatekey", "accountkey", "authkey":
			return surely, "key"
		case "key":
			if last && secretKeys[before] {
				return surely, "key"
			}
			if last && i > 0 && allCaps(name) {
				return maybe, "key"
			}
		case "token", "accesstoken", "authtoken", "jwt", "bearer":
			if last && !vocabulary[before] {
				return maybe, "token"
			}
		case "auth":
			if last && i > 0 && allCaps(name) {
				return maybe, "token"
			}
		case "authorization":
			return maybe, "authorization"
		}
	}
	return noSecret, ""
}

func allCaps(name string) bool { return hasLetter(name) && name == strings.ToUpper(name) }

func numeric(v string) bool { return strings.Trim(v, "0123456789.,_-+eE") == "" }

// tokenLike tells whether a value looks drawn at random: letters and digits
// mixed, or long with both cases, and nothing that a word, a path or markup has.
func tokenLike(v string) bool {
	if len(v) < 8 || strings.ContainsAny(v, " \t<>()[]{}|*@▁Ġ") || numeric(v) || pathLike(v) {
		return false
	}
	return mixed(v) || len(v) >= 20 && strings.ToLower(v) != v && strings.ToUpper(v) != v
}

// pathLike tells whether a value names a file. A base64 key of 40 characters
// that begins with a slash is none.
func pathLike(v string) bool {
	switch {
	case strings.HasPrefix(v, "./") || strings.HasPrefix(v, "../") || strings.HasPrefix(v, "~/") || strings.Contains(v, "://"):
		return true
	case strings.HasPrefix(v, "/"):
		return !(len(v) == 40 && mixed(v) && strings.ToLower(v) != v && strings.Trim(v, base64Letters) == "")
	}
	return len(v) > 2 && v[1] == ':' && v[2] == '\\'
}

const base64Letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// nothing are values that hold no secret.
var nothing = set("true", "false", "none", "null", "nil", "yes", "no", "on", "off", "0", "1", "undefined", "unset", "default", "auto", "empty",
	"str", "string", "int", "bool", "optional", "redacted", "hidden", "masked", "xxx", "xxxx", "changeme", "set", "not", "n/a", "na", "environ", "basic", "bearer")

// harmless tells whether a value holds no secret whatever its name: nothing at
// all, stars, a reference to where the secret is.
func harmless(v string) bool {
	return len(v) < 3 || nothing[strings.ToLower(v)] || !notTemplate(v) || pathLike(v) || !hasDigit(v) && !hasLetter(v) && isASCII(v)
}

// notTemplate tells that a value is no place holder, such as $TOKEN or {token}.
func notTemplate(v string) bool {
	return !strings.HasPrefix(v, "$") && !strings.HasPrefix(v, "{") && !strings.HasPrefix(v, "<") && !strings.HasPrefix(v, "%") &&
		!strings.HasPrefix(v, "os.") && !strings.HasPrefix(v, "getpass") && !strings.Contains(v, "***") && strings.Trim(v, "xX*.•") != ""
}

func isASCII(v string) bool {
	for i := range len(v) {
		if v[i] >= 0x80 {
			return false
		}
	}
	return true
}

// said are words that follow "password: " in messages.
var said = set("required", "incorrect", "invalid", "missing", "expired", "wrong", "is", "must", "cannot", "failed", "failure", "rejected", "denied",
	"the", "a", "an", "authentication", "permission", "access", "error", "please", "enter", "unable", "could", "has", "was", "should", "too", "no", "for",
	"found", "loaded", "unknown", "unsupported", "expected", "provided", "ok", "created", "mounted")

// proseWord tells whether a value is a word of a sentence, which may go on after
// an escape or a Chinese mark.
func proseWord(v string) bool {
	if i := strings.IndexAny(v, `\，。；、`); i >= 0 {
		v = v[:i]
	}
	return said[strings.ToLower(strings.TrimRight(v, ".,!"))]
}
