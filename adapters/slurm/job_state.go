package slurm

import (
	"slices"
	"strings"
)

// Slurm keeps a base state and flags beside it. Up to 22.05 it tells one word,
// where flags win over the base; later ones tell all. What a job does at the moment
// is the same word in all versions, made by the same order of precedence.
var (
	doing   = []string{"COMPLETING", "STAGE_OUT", "CONFIGURING", "RESIZING", "STOPPED", "SIGNALING"}
	waiting = []string{"REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD", "SPECIAL_EXIT", "RESV_DEL_HOLD"}
)

// jobState splits Slurm's words for a job of the queue into its state and the flags
// beside. A job that was put back waits, whatever the flag is called; words that
// are not known are kept.
func jobState(told words) (state string, flags []string) {
	var all []string
	for _, w := range told {
		if w = strings.ToUpper(clean(text(w))); w != "" && !slices.Contains(all, w) {
			all = append(all, w)
		}
	}
	if len(all) == 0 {
		return "", nil
	}
	for _, w := range doing {
		if i := slices.Index(all, w); i >= 0 {
			return w, rest(all, i)
		}
	}
	if slices.Contains(waiting, all[0]) {
		return "PENDING", all
	}
	return all[0], rest(all, 0)
}

func rest(list []string, without int) []string {
	if len(list) == 1 {
		return nil
	}
	return slices.Delete(slices.Clone(list), without, without+1)
}
