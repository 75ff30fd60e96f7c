package slurm

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// mostHosts bounds one list of hosts.
const mostHosts = 1 << 17

// Hosts expands a list such as n[1-3,7],gpu-a,r[1-2]c[01-10] to the names in it,
// sorted and without duplicates. Leading zeros are kept, as Slurm does.
func Hosts(list string) ([]string, error) {
	var out []string
	for _, part := range splitOutside(none(list)) {
		names, err := expandHosts(strings.TrimSpace(part))
		if err != nil {
			return nil, fmt.Errorf("list of hosts %.80q: %w", list, err)
		}
		if len(out)+len(names) > mostHosts {
			return nil, fmt.Errorf("list of hosts %.80q: has more than %d names", list, mostHosts)
		}
		out = append(out, names...)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

func expandHosts(part string) ([]string, error) {
	open := strings.IndexByte(part, '[')
	if open < 0 {
		if strings.ContainsAny(part, "]") {
			return nil, fmt.Errorf("a bracket is missing in %.60q", part)
		}
		return []string{part}, nil
	}
	end := strings.IndexByte(part[open:], ']')
	if end < 0 {
		return nil, fmt.Errorf("a bracket is missing in %.60q", part)
	}
	prefix, inside := part[:open], part[open+1:open+end]
	tails, err := expandHosts(part[open+end+1:])
	if err != nil {
		return nil, err
	}
	var out []string
	for _, item := range strings.Split(inside, ",") {
		low, high, dash := strings.Cut(item, "-")
		if !dash {
			high = low
		}
		from, err1 := strconv.Atoi(low)
		to, err2 := strconv.Atoi(high)
		if err1 != nil || err2 != nil || from < 0 || to < from {
			return nil, fmt.Errorf("is no range: %.40q", item)
		}
		if (to-from+1)*len(tails)+len(out) > mostHosts {
			return nil, fmt.Errorf("has more than %d names", mostHosts)
		}
		for n := from; n <= to; n++ {
			for _, tail := range tails {
				out = append(out, fmt.Sprintf("%s%0*d%s", prefix, len(low), n, tail))
			}
		}
	}
	return out, nil
}
