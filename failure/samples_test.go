package failure

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
)

// siteRules is a file with one kind and one rule of a site's own.
func siteRules(rule string) fstest.MapFS {
	return fstest.MapFS{"site.yaml": {Data: fmt.Appendf(nil, `
kinds:
  - {name: licence_server, class: infrastructure, component: external_service, restart: yes, quarantine: no, title: {en: a, zh: b}, advice: {en: a, zh: b}, test: {en: a, zh: b}}
rules:
  - {id: site-licence, tier: 4, kind: licence_server, source: "our simulator", %s}
`, rule)}}
}

const licence = `pattern: 'licence server \S+ does not answer', positive: ["FATAL: licence server lic-1 does not answer"], negative: ["licence server lic-1 answers again"]`

// Rules of a site stand beside the built-in ones, and both find what is theirs.
func TestAddedRulesStandBesideTheBuiltIn(t *testing.T) {
	set, err := AddRules(siteRules(licence))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := len(set.Rules), len(Default().Rules)+1; got != want {
		t.Errorf("%d rules, want %d", got, want)
	}
	for log, want := range map[string]string{
		"FATAL: licence server lic-1 does not answer\n":                                                   "licence_server",
		"Nov 30 02:11:09 n3 kernel: NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen off the bus.\n": "gpu_off_bus",
	} {
		s := NewScanner(set)
		if err := s.Read("train.log", strings.NewReader(log)); err != nil {
			t.Fatal(err)
		}
		if d := s.Diagnosis(); d.Subclass != want {
			t.Errorf("%q: %q, want %s", log, d.Subclass, want)
		}
	}
}

// A rule whose samples say something else than its pattern is refused with both.
func TestSamplesAreTriedWhenRulesAreLoaded(t *testing.T) {
	for name, c := range map[string]struct{ rule, want string }{
		"not matched":  {`pattern: 'licence server gone', positive: ["licence server lic-1 gone"]`, `rule site-licence: positive: "licence server lic-1 gone" is not matched by the pattern`},
		"negative":     {`pattern: 'licence server', positive: ["licence server gone"], negative: ["licence server is up"]`, `rule site-licence: negative: "licence server is up" is taken for a failure by rule site-licence`},
		"near":         {`pattern: 'licence server', positive: ["licence server gone"], near: ["licence server is slow"]`, `rule site-licence: near: "licence server is slow" is matched by the pattern`},
		"not believed": {`pattern: 'bus error of the card', generic: true, positive: ["NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus: bus error of the card"]`, `is taken by rule`},
		"twice":        {`pattern: 'licence server', positive: ["licence server gone"]}` + "\n  - {id: site-licence, tier: 4, kind: licence_server, source: s, pattern: 'licence'", "rule site-licence: is there twice"},
	} {
		if _, err := AddRules(siteRules(c.rule)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, beside the built-in ones: error %v, want %q", name, err, c.want)
		}
		if name == "not believed" {
			continue // of another rule, which is not there
		}
		if _, err := ReadRules(siteRules(c.rule)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}

// An added rule may not take what a built-in one knows to be harmless, nor the name
// of a built-in rule or kind.
func TestAddedRulesLeaveTheBuiltInAlone(t *testing.T) {
	const harmless = "Xid 79: GPU has fallen off the bus (see the catalogue of Xid errors)" // of rule nvidia-xid
	rule := `pattern: 'see the catalogue of', positive: ["failed: see the catalogue of"]`
	if _, err := AddRules(siteRules(rule)); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("the pattern matches %q, which is no failure as rule", harmless)) {
		t.Errorf("a rule that matches %q: error %v, want that it is no failure", harmless, err)
	}
	if _, err := AddRules(fstest.MapFS{"site.yaml": embeddedFile(t, "nvidia-xid.yaml")}); err == nil || !strings.Contains(err.Error(), "is there twice") {
		t.Errorf("a file that is built in: error %v, want that it is there twice", err)
	}
	if _, err := AddRules(fstest.MapFS{}); err == nil || !strings.Contains(err.Error(), "no failure rules are loaded") {
		t.Errorf("an empty folder: error %v, want that there are no rules", err)
	}
}

func embeddedFile(t *testing.T, name string) *fstest.MapFile {
	t.Helper()
	data, err := embedded.ReadFile("rules/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return &fstest.MapFile{Data: data}
}
