package cli

import (
	"fmt"
	"strings"

	"schedmate"
)

// numbers writes what a reason counts.
func numbers(r *schedmate.Reason) string {
	switch r.Code {
	case schedmate.ExceedsCluster:
		if r.Limit == 0 {
			return fmt.Sprintf("needs %d, no node can ever take it", r.Need)
		}
		return fmt.Sprintf("needs %d, at most %d can ever be placed", r.Need, r.Limit)
	case schedmate.ExceedsQuota:
		return fmt.Sprintf("needs %d, the quota is %d", r.Need, r.Limit)
	case schedmate.NodesUnavailable:
		return fmt.Sprintf("needs %d, waits for %s", r.Need, some(r.Nodes, 3))
	case schedmate.QuotaUsed:
		return fmt.Sprintf("needs %d, %d of the quota of %d left", r.Need, r.Free, r.Limit)
	case schedmate.NotEnoughFree:
		return fmt.Sprintf("needs %d, %d free, %d short", r.Need, r.Free, r.Short)
	case schedmate.Fragmented:
		return fmt.Sprintf("needs %d together, %d free but scattered", r.Need, r.Free)
	case schedmate.BehindInQueue:
		return "behind " + aheadText(r, 3)
	case schedmate.HeldBack:
		return "the policy holds it back"
	}
	return r.Code.String()
}

// sentence writes a reason for somebody who does not know the codes.
func sentence(r *schedmate.Reason) string {
	gpus := plural(r.Need, "GPU")
	switch r.Code {
	case schedmate.ExceedsCluster:
		if r.Limit == 0 {
			return fmt.Sprintf("it asks for %s, and no node of the whole cluster can take it: check its GPU type and virtual cluster", gpus)
		}
		return fmt.Sprintf("it asks for %s, and the whole cluster, empty and healthy, could place at most %d for it", gpus, r.Limit)
	case schedmate.ExceedsQuota:
		return fmt.Sprintf("it asks for %s, and the quota of its virtual cluster is %d", gpus, r.Limit)
	case schedmate.NodesUnavailable:
		return fmt.Sprintf("it asks for %s, which fit only with nodes that take no work now: %s", gpus, some(r.Nodes, 5))
	case schedmate.QuotaUsed:
		return fmt.Sprintf("it asks for %s, and %d of its virtual cluster's quota of %d are left", gpus, r.Free, r.Limit)
	case schedmate.NotEnoughFree:
		text := fmt.Sprintf("it asks for %s, %d are free, %d are missing", gpus, r.Free, r.Short)
		if len(r.Blockers) > 0 {
			text += fmt.Sprintf("; %s ahead of it in the queue", plural(r.Ahead, "job"))
		}
		return text
	case schedmate.Fragmented:
		return fmt.Sprintf("it asks for %s on as few nodes as possible; %d are free, but scattered", gpus, r.Free)
	case schedmate.BehindInQueue:
		return fmt.Sprintf("its %s are free, but the policy serves %s first", gpus, aheadText(r, 5))
	case schedmate.HeldBack:
		return "the policy would not start it now if it had the whole cluster to itself: it has planned it for later, or given it up for now"
	}
	return r.Code.String()
}

// aheadText names the first of the jobs ahead and counts the others.
func aheadText(r *schedmate.Reason, most int) string {
	named := r.Blockers[:min(len(r.Blockers), most)]
	if r.Ahead == len(named) {
		return strings.Join(named, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(named, ", "), r.Ahead-len(named))
}

// changeText writes the change as a condition.
func changeText(r *schedmate.Reason) string {
	c := &r.Change
	var parts []string
	if c.Resize > 0 {
		parts = append(parts, fmt.Sprintf("it asked for %s", plural(c.Resize, "GPU")))
	}
	if c.AnyType {
		parts = append(parts, "it took any GPU type")
	}
	if c.VC != "" {
		parts = append(parts, "it ran in vc "+c.VC)
	}
	if c.Quota > 0 {
		parts = append(parts, fmt.Sprintf("the quota were %d", c.Quota))
	}
	if len(c.Restore) > 0 {
		parts = append(parts, fmt.Sprintf("%s took work again", some(c.Restore, 3)))
	}
	if len(c.Release) > 0 {
		parts = append(parts, fmt.Sprintf("%s ended", some(c.Release, 3)))
	}
	if c.Alone {
		parts = append(parts, fmt.Sprintf("the %s ahead of it stepped aside", plural(r.Ahead, "job")))
	}
	if len(c.Hold) > 0 {
		parts = append(parts, fmt.Sprintf("%s stepped aside", some(c.Hold, 3)))
	}
	return strings.Join(parts, " and ")
}

func untilText(r *schedmate.Reason, now schedmate.Seconds) string {
	if r.Until == 0 {
		return ""
	}
	return "in " + human(max(0, r.Until-now))
}
