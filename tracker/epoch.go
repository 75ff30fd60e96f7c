package tracker

import (
	"math"

	"schedmate"
	"schedmate/logs/series"
)

// epoch is the number of the pass over the data: a count in the record, or in
// a line of its own between the records.
func (a *analysis) epoch() (epoch, total *schedmate.Reading) {
	var best spot
	consider := func(v *view, bonus float64) {
		bar := v.drawsEpochs()
		for c := range v.Columns {
			col := &v.Columns[c]
			if v == a.main && c == a.primary.column && a.primary.unit != unitEpoch || col.Form != series.Number && col.Form != series.Part {
				continue
			}
			words := col.Spoken
			score := 0.0
			if isEpoch(words) {
				score = 2
				if stepWords.in(words) || lossWords.in(words) || timeWords.in(words) {
					score = 0.5
				}
				if (lossWords.in(col.Words) || metricWords.in(col.Words)) && !v.how[c].integers {
					score = 0 // train_loss_epoch
				}
			} else if c == bar && v != a.main {
				score = 1
			} else if v == a.main && a.primary.column == c+1 && v.countsInWhole(c+1) {
				score = 1.5
			} else if v == a.main && col.Ordinal == 0 && v.how[c].slow() && v.how[c].up > 0 && col.Form == series.Part {
				score = 0.6
			}
			if score > 0 && v.how[c].min >= 0 && score+bonus > best.score {
				best = spot{v, c, score + bonus}
			}
		}
	}
	consider(a.main, 0.4)
	for _, m := range a.mates {
		if !m.heldOut && (m.Len() > 1 || m.drawsEpochs() >= 0) {
			consider(m.view, 0)
		}
	}
	if best.view == nil {
		return nil, nil
	}
	epoch = best.reading("counted", 0.85)
	if w := best.view.wholeOf(best.column); w >= 0 && !(best.view == a.main && w == a.primary.column) {
		total = spot{best.view, w, 0}.reading("printed", 0.85)
	}
	return epoch, total
}

// stepsOfEpoch looks for the steps in a log that has a line for each epoch
// only: `55/55 - 3s - loss: 9.17 - 55ms/step` is a fraction that is always
// whole, beside the count of epochs. The step is then the last of the epoch.
func (a *analysis) stepsOfEpoch(p *schedmate.Progress, confidence float64) {
	for _, m := range append([]mate{{view: a.main, every: true}}, a.mates...) {
		if !m.every || m.heldOut {
			continue
		}
		for c := range m.Columns {
			w := m.wholeOf(c)
			if named := m.view == a.main && c == a.primary.column+1 && a.lastStep(c); named {
				w = c
			} else if m.view == a.main || m.Columns[c].Form != series.Part || w < 0 || !always(m.series[c], m.series[w]) {
				continue
			}
			p.Step = (spot{m.view, c, 0}).reading("the last step of the epoch", confidence)
			p.TotalSteps = spot{m.view, w, 0}.reading("printed beside the step", confidence)
			p.StepUnit, p.StepTime, p.Slowdown = string(unitStep), nil, nil
			for _, r := range a.readings() {
				if (r.view == m.view || w == c && a.ofSteps(&r)) && r.weight >= 2.4 && r.means != rate {
					if x := r.recent(5, 1); x > 0 {
						p.StepTime = spot{m.view, r.column, 0}.reading("printed ("+r.means.String()+")", 0.85)
						p.StepTime.Value = x
					}
					break
				}
			}
			return
		}
	}
}

// lastStep tells whether a number behind the epoch is that of its last step, the same
// in each: `epoch: 3 step: 1875`.
func (a *analysis) lastStep(c int) bool {
	col, h := &a.main.Columns[c], &a.main.how[c]
	if col.Form != series.Number || !col.Integer || h.distinct != 1 || h.n < a.main.Len() || h.n < 2 || h.last < 2 || len(col.Words) != 1 || len(col.After) > 0 {
		return false
	}
	word := stepWord(col.Words)
	return word == "step" || word == "iteration"
}

// ofSteps tells whether a reading is by its unit or name the time of a step.
func (a *analysis) ofSteps(r *reading) bool {
	col := &r.view.Columns[r.column]
	return stepWords.has(col.Unit.Item) || stepWords.in(col.Words)
}

// always tells whether the two series are equal in each of at least two records.
func always(x, y []float64) bool {
	n := 0
	for i := range x {
		if math.IsNaN(x[i]) || math.IsNaN(y[i]) {
			continue
		}
		if x[i] != y[i] {
			return false
		}
		n++
	}
	return n >= 2
}
