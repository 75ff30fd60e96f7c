package failure

import (
	"bytes"
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"schedmate"
	"schedmate/logs/lineclass"
)

// Tier is where a kind of line stands in the order of precedence: a line of a
// lower tier is the root rather than one of a higher tier that it comes before.
type Tier int

// The tiers, from what nothing else in the log can have caused to what says
// nothing.
const (
	TierDevice    Tier = 1 + iota // kernel, firmware, device: Xid, machine check, I/O error, kernel OOM
	TierScheduler                 // scheduler or orchestrator that states a reason: time limit, preemption, eviction
	TierSurfaced                  // a device error as a process sees it: CUDA error 214
	TierTransport                 // a transport error that names a cause: error 12, connection refused
	TierException                 // an exception, assertion or abort of a program
	TierPeer                      // fallout of a lost peer: watchdog timeout, connection closed by peer
	TierReaper                    // launchers that collect the dead: exit codes, SIGTERM to siblings
	TierNoise                     // looks like an error and is none
)

// Rule recognises one kind of line.
//
// Invariant: the pattern compiles, matches all positive samples, and none that
// is negative or near; a rule of TierNoise has no kind, any other has one.
type Rule struct {
	ID      string `yaml:"id"`      // kebab-case, unique
	Pattern string `yaml:"pattern"` // RE2; the groups node, rank, peer, gpu, code, pid, signal, exit are used when they match
	Tier    Tier   `yaml:"tier"`
	Kind    string `yaml:"kind,omitempty"` // name of a Kind

	// Exception: the line must be the last of an exception block (`ValueError: ...`
	// below a traceback) or a line that a program prints in its place.
	Exception bool `yaml:"exception,omitempty"`
	// Frame must match a file of the exception's stack, Innermost the file of its
	// innermost frame, where they are given.
	Frame     string   `yaml:"frame,omitempty"`
	Innermost string   `yaml:"innermost,omitempty"`
	Stack     []string `yaml:"stack,omitempty"` // files of the stack of the positive samples, the innermost last
	// Generic rules stand back behind any other that matches the same line.
	Generic bool `yaml:"generic,omitempty"`
	// Alone: the line is the root only when the log shows nothing else; it says
	// that something ended, not why.
	Alone bool `yaml:"alone,omitempty"`
	// Waits: as of a kind, where only some lines of the kind tell the end of a wait.
	Waits bool `yaml:"waits,omitempty"`

	// Tries: noise that only says that a try was not the last one; what it failed of
	// may be what the job dies of later.
	Tries bool `yaml:"tries,omitempty"`

	// Differ are two groups of the pattern that must not hold the same.
	Differ []string `yaml:"differ,omitempty"`

	// Record: only the scheduler's own record tells so. Who owns a job can print
	// the same into its log, where the rule finds nothing.
	Record bool `yaml:"record,omitempty"`

	// What the finding says, where that differs from its kind.
	Class      schedmate.FailureClass `yaml:"class,omitempty"`
	Component  schedmate.Component    `yaml:"component,omitempty"`
	Restart    Restart                `yaml:"restart,omitempty"`
	Quarantine Quarantine             `yaml:"quarantine,omitempty"`
	Meaning    string                 `yaml:"meaning,omitempty"` // of a code, for the report

	// Codes makes one rule of each entry: {code} in the pattern stands for it.
	Codes []Code `yaml:"codes,omitempty"`

	Source   string   `yaml:"source"`         // where the text is documented, or the program that prints it
	Positive []string `yaml:"positive"`       // lines that are of this kind
	Negative []string `yaml:"negative"`       // lines that look alike and are no failure: no rule may match them
	Near     []string `yaml:"near,omitempty"` // lines of other failures that this rule must not match

	table    string // the rule with codes that it is one of, "" when it is none
	guess    bool   // it stands for lines that no rule knows
	last     bool   // and for the last of them
	kind     *Kind
	regexp   func() *regexp.Regexp // the pattern, compiled when it is first needed
	frame    *regexp.Regexp
	inmost   *regexp.Regexp
	valued   bool       // whether it matches depends on the value of a number
	further  [][]string // more lists of which a matching line has one each
	literals []string   // lower case, without digits; a line that matches has one of them
	needs    needs      // what a matching line holds, digits and all
}

// Code is one entry of a table of codes, such as NVIDIA's Xid numbers.
type Code struct {
	Code       string                 `yaml:"code"` // RE2, usually a number: 79, or 1[12]
	Meaning    string                 `yaml:"meaning"`
	Tier       Tier                   `yaml:"tier,omitempty"`
	Kind       string                 `yaml:"kind,omitempty"`
	Class      schedmate.FailureClass `yaml:"class,omitempty"`
	Component  schedmate.Component    `yaml:"component,omitempty"`
	Restart    Restart                `yaml:"restart,omitempty"`
	Quarantine Quarantine             `yaml:"quarantine,omitempty"`
	Source     string                 `yaml:"source,omitempty"`
}

// RuleSet is what the handler knows about lines.
type RuleSet struct {
	Rules []*Rule
	Kinds map[string]*Kind

	index     *literalIndex
	links     links
	chinese   map[string]string         // of the reasons, by their English
	exception *Rule                     // for exceptions that no rule knows
	unknown   map[lineclass.Class]*Rule // for other lines that no rule knows
	last      map[string]*Rule          // for the last of them, by kind
}

//go:embed rules/*.yaml
var embedded embed.FS

// Default is the set of the embedded rules. A rule that does not load is a
// fault of the build, and stops the program.
var Default = sync.OnceValue(func() *RuleSet {
	folder, err := fs.Sub(embedded, "rules")
	if err == nil {
		var set *RuleSet
		if set, err = readRules(ruleFolder{folder, true}); err == nil {
			return set
		}
	}
	panic(fmt.Sprintf("failure: the embedded rules are broken: %v", err))
})

// ErrNoRules says that a set is empty: a handler that finds nothing because it
// knows nothing must not look like a healthy job.
var ErrNoRules = errors.New("no failure rules are loaded: add files with rules, or use the built-in ones")

// ruleFile is one file of rules.
type ruleFile struct {
	Kinds []*Kind `yaml:"kinds"`
	Rules []*Rule `yaml:"rules"`
	Links []link  `yaml:"links"`
}

// ReadRules reads all files *.yaml of a folder as one set, in place of the built-in
// ones.
func ReadRules(folder fs.FS) (*RuleSet, error) { return readRules(ruleFolder{files: folder}) }

// readRules reads folders as one set. Patterns of known rules are compiled when they
// are first needed, those of others now, and their samples are tried.
func readRules(folders ...ruleFolder) (*RuleSet, error) {
	set := &RuleSet{Kinds: map[string]*Kind{}, links: links{}}
	given := map[*Rule]bool{}
	for _, folder := range folders {
		before := len(set.Rules)
		if err := set.readFolder(folder.files); err != nil {
			return nil, err
		}
		if !folder.known {
			for _, r := range set.Rules[before:] {
				given[r] = true
			}
		}
		if len(set.Rules) == before {
			return nil, ErrNoRules
		}
	}
	if err := set.checkReasons(); err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, r := range set.Rules {
		if seen[r.ID] {
			return nil, fmt.Errorf("rule %s: is there twice: give one another id", r.ID)
		}
		seen[r.ID] = true
		if err := r.prepare(set.Kinds, given[r]); err != nil {
			return nil, fmt.Errorf("rule %s: %w", r.ID, err)
		}
	}
	slices.SortFunc(set.Rules, func(a, b *Rule) int { return cmp.Compare(a.ID, b.ID) })
	set.index = indexLiterals(set.Rules)
	set.exception = &Rule{
		ID: "unknown-exception", Tier: TierException, Kind: "python_exception", Generic: true, kind: set.Kinds["python_exception"],
		Class: schedmate.UserFailure, Component: schedmate.ComponentUserCode, Restart: RestartNo, Quarantine: QuarantineNo,
		regexp: anything,
	}
	set.unknown, set.last = unknownRules(set.Kinds), lastRules(set.Kinds)
	if err := set.checkSamples(given); err != nil {
		return nil, err
	}
	return set, nil
}

// readFolder adds what the files of a folder hold.
func (s *RuleSet) readFolder(folder fs.FS) error {
	names, err := fs.Glob(folder, "*.yaml")
	if err != nil {
		return err
	}
	for _, name := range names {
		data, err := fs.ReadFile(folder, name)
		if err != nil {
			return fmt.Errorf("read rules: %w", err)
		}
		var file ruleFile
		d := yaml.NewDecoder(bytes.NewReader(data))
		d.KnownFields(true)
		if err := d.Decode(&file); err != nil {
			return fmt.Errorf("read rules %s: %w: mend the file", name, err)
		}
		if slices.Contains(file.Kinds, nil) || slices.Contains(file.Rules, nil) {
			return fmt.Errorf("read rules %s: an entry is empty: fill it in, or leave it out", name)
		}
		for _, k := range file.Kinds {
			if s.Kinds[k.Name] != nil {
				return fmt.Errorf("read rules %s: kind %s: is there twice: leave one out", name, k.Name)
			}
			if err := k.validate(); err != nil {
				return fmt.Errorf("read rules %s: kind %s: %w", name, k.Name, err)
			}
			s.Kinds[k.Name] = k
		}
		for _, r := range file.Rules {
			s.Rules = append(s.Rules, r.expand()...)
		}
		for _, l := range file.Links {
			for _, because := range l.Because {
				for _, then := range l.Then {
					s.links[[2]string{because, then}] = l
				}
			}
		}
	}
	return nil
}

// expand makes one rule of each code.
func (r *Rule) expand() []*Rule {
	if len(r.Codes) == 0 {
		return []*Rule{r}
	}
	var out []*Rule
	for _, c := range r.Codes {
		one := *r
		one.Codes = nil
		one.ID = r.ID + "-" + strings.Trim(strings.Map(codeRune, c.Code), "-")
		one.Pattern = strings.ReplaceAll(r.Pattern, "{code}", "(?:"+c.Code+")")
		one.Meaning = c.Meaning
		one.Tier = cmp.Or(c.Tier, r.Tier)
		one.Kind = cmp.Or(c.Kind, r.Kind)
		one.Class = cmp.Or(c.Class, r.Class)
		one.Component = cmp.Or(c.Component, r.Component)
		one.Restart = cmp.Or(c.Restart, r.Restart)
		one.Quarantine = cmp.Or(c.Quarantine, r.Quarantine)
		one.Source = cmp.Or(c.Source, r.Source)
		if one.Tier == TierNoise {
			one.Kind = ""
		}
		one.table = r.ID
		out = append(out, &one)
	}
	return out
}

func codeRune(r rune) rune {
	if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
		return r
	}
	return '-'
}

// prepare checks a rule and compiles it.
func (r *Rule) prepare(kinds map[string]*Kind, now bool) error {
	var err error
	r.regexp = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(r.Pattern) })
	if now {
		if _, err = regexp.Compile(r.Pattern); err != nil {
			return fmt.Errorf("pattern: %w", err)
		}
	}
	if r.Frame != "" {
		if r.frame, err = regexp.Compile(r.Frame); err != nil {
			return fmt.Errorf("frame: %w", err)
		}
	}
	if r.Innermost != "" {
		if r.inmost, err = regexp.Compile(r.Innermost); err != nil {
			return fmt.Errorf("innermost: %w", err)
		}
	}
	shown := analyse(r.Pattern)
	r.literals, r.further, r.valued, r.needs = shown.first, shown.further, shown.valued, shown.needs
	r.kind = kinds[r.Kind]
	if stack := (&exception{files: r.Stack}); r.frame != nil && !stack.hasFrame(r.frame) || r.inmost != nil && !stack.endsIn(r.inmost) {
		return errors.New("stack: must be one that frame and innermost match")
	}
	switch {
	case len(r.Differ) != 0 && (len(r.Differ) != 2 || !strings.Contains(r.Pattern, "(?P<"+r.Differ[0]+">") || !strings.Contains(r.Pattern, "(?P<"+r.Differ[1]+">")):
		return fmt.Errorf("differ: must be two groups of the pattern, got %v", r.Differ)
	case r.Tier < TierDevice || r.Tier > TierNoise:
		return fmt.Errorf("tier: must be 1 to %d, got %d", TierNoise, r.Tier)
	case r.Tries && r.Tier != TierNoise:
		return errors.New("tries: only noise can be of tries")
	case (r.Tier == TierNoise) != (r.Kind == ""):
		return errors.New("kind: noise has none, any other rule has one")
	case r.Kind != "" && r.kind == nil:
		return fmt.Errorf("kind: no kind is called %q: add it, or use one of the others", r.Kind)
	case len(r.literals) == 0:
		return errors.New("pattern: has no literal text of three letters that every match holds: add one, so that lines can be skipped fast")
	case r.Source == "":
		return errors.New("source: must say where the text comes from")
	}
	if r.Tier == TierNoise {
		return nil
	}
	r.Waits = r.Waits || r.kind.Waits
	r.Class = cmp.Or(r.Class, r.kind.Class)
	r.Component = cmp.Or(r.Component, r.kind.Component)
	r.Restart = cmp.Or(r.Restart, r.kind.Restart)
	r.Quarantine = cmp.Or(r.Quarantine, r.kind.Quarantine)
	return verdictError(r.Class, r.Component, r.Restart, r.Quarantine)
}
