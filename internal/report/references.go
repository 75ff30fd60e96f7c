package report

import "fmt"

// published is one line of the table of published figures.
type published struct {
	*series
	Seed                    string // only where a series has several
	Name, Source            string
	Theirs, TheirsPrecise   string
	Ours, OursPrecise, Diff string
	Same                    bool // equal as numbers
	Jobs                    string
}

func publishedRows(all []*series) []published {
	var rows []published
	for _, s := range all {
		for _, r := range s.Runs {
			for _, ref := range r.Reference {
				rows = append(rows, newPublished(s, r, ref))
			}
		}
	}
	return rows
}

func newPublished(s *series, r *Run, ref Reference) published {
	p := published{series: s, Name: ref.Name, Source: ref.Source, Diff: none, Jobs: none}
	if len(s.Runs) > 1 {
		p.Seed = fmt.Sprintf("seed %d", r.Seed)
	}
	p.Theirs, p.TheirsPrecise = show(ref.Theirs, ref.Unit)
	p.Ours, p.OursPrecise = show(ref.Ours, ref.Unit)
	if finite(ref.Theirs) && finite(ref.Ours) {
		p.Same = ref.Theirs == ref.Ours
		switch {
		case p.Same:
			p.Diff = "equal"
		case ref.Theirs != 0:
			p.Diff = signed((ref.Ours - ref.Theirs) / ref.Theirs)
		}
	}
	if ref.Of > 0 {
		p.Jobs = fmt.Sprintf("%s of %s", Count(ref.Equal), Count(ref.Of))
	}
	return p
}
