package slurmlab

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Calls counts the messages that controller and accounting daemon have received,
// by their type, as they count themselves (sdiag, sacctmgr show stats). What
// reached them cannot hide from it, whatever command or library sent it.
//
//	before, err := lab.Calls(ctx)
//	... what is tested ...
//	after, err := lab.Calls(ctx)
//	made, err := after.Since(before)
//	if writes := made.Writes(); len(writes) > 0 { ... }
//
// The two readings are themselves among the calls made: REQUEST_STATS_INFO and DBD_GET_STATS.
type Calls map[string]int

// Calls reads the counters.
func (l *Lab) Calls(ctx context.Context) (Calls, error) {
	calls := make(Calls)
	for _, command := range [][]string{{"sdiag"}, {"sacctmgr", "show", "stats"}} {
		out, err := l.Run(ctx, command...)
		if err != nil {
			return nil, err
		}
		found, err := parseCalls(out)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", strings.Join(command, " "), err)
		}
		for name, count := range found {
			calls[name] += count
		}
	}
	return calls, nil
}

// parseCalls reads the lines between the headings "by message type" and "by user".
func parseCalls(text string) (Calls, error) {
	const heading = "Remote Procedure Call statistics by message type"
	_, table, found := strings.Cut(text, heading)
	if !found {
		return nil, fmt.Errorf("it has no heading %q: is this another version of Slurm?", heading)
	}
	calls := make(Calls)
	for line := range strings.Lines(table) {
		if strings.HasPrefix(line, "Remote Procedure Call") {
			break
		}
		name, rest, counted := strings.Cut(strings.TrimSpace(line), "(")
		_, rest, hasCount := strings.Cut(rest, "count:")
		if !counted || !hasCount {
			continue
		}
		digits, _, _ := strings.Cut(rest, " ")
		count, err := strconv.Atoi(digits)
		if err != nil {
			return nil, fmt.Errorf("count of %s: %w", name, err)
		}
		calls[strings.TrimSpace(name)] += count
	}
	return calls, nil
}

// Since returns the calls made after an earlier reading. Counters that went back
// are an error: somebody has reset them.
func (c Calls) Since(before Calls) (Calls, error) {
	made := make(Calls)
	for name, count := range before {
		if c[name] < count {
			return nil, fmt.Errorf("the counter of %s went back from %d to %d: the daemon was started anew, or sdiag --reset was run", name, count, c[name])
		}
	}
	for name, count := range c {
		if count > before[name] {
			made[name] = count - before[name]
		}
	}
	return made, nil
}

// Writes returns the types, sorted, that are neither known to read only nor of
// the daemons among themselves. A type that nobody knows is taken for one that writes.
func (c Calls) Writes() []string {
	var writes []string
	for _, name := range slices.Sorted(maps.Keys(c)) {
		if !reads[name] && !amongDaemons[name] {
			writes = append(writes, name)
		}
	}
	return writes
}

// Reads returns the types, sorted, that a client sent and that change nothing.
func (c Calls) Reads() []string {
	var found []string
	for _, name := range slices.Sorted(maps.Keys(c)) {
		if reads[name] {
			found = append(found, name)
		}
	}
	return found
}

// reads are the messages by which clients ask and change nothing.
var reads = set(`
	REQUEST_ASSOC_MGR_INFO REQUEST_BATCH_SCRIPT REQUEST_BUILD_INFO REQUEST_BURST_BUFFER_INFO REQUEST_BURST_BUFFER_STATUS
	REQUEST_CONTROL_STATUS REQUEST_CTLD_MULT_MSG REQUEST_FED_INFO REQUEST_FRONT_END_INFO REQUEST_JOB_ALLOCATION_INFO
	REQUEST_HET_JOB_ALLOC_INFO REQUEST_JOB_END_TIME REQUEST_JOB_INFO REQUEST_JOB_INFO_SINGLE REQUEST_JOB_STATE REQUEST_JOB_STEP_INFO
	REQUEST_JOB_USER_INFO REQUEST_LICENSE_INFO REQUEST_NODE_INFO REQUEST_NODE_INFO_SINGLE REQUEST_PARTITION_INFO
	REQUEST_PING REQUEST_POWERCAP_INFO REQUEST_PRIORITY_FACTORS REQUEST_RESERVATION_INFO REQUEST_SHARE_INFO
	REQUEST_STATS_INFO REQUEST_TOPO_INFO REQUEST_TRIGGER_GET

	DBD_FINI SLURM_PERSIST_INIT DBD_GET_ACCOUNTS DBD_GET_ASSOCS DBD_GET_ASSOC_USAGE DBD_GET_CLUSTERS DBD_GET_CLUSTER_USAGE
	DBD_GET_CONFIG DBD_GET_EVENTS DBD_GET_FEDERATIONS DBD_GET_JOBS DBD_GET_JOBS_COND DBD_GET_PROBS DBD_GET_QOS DBD_GET_RES
	DBD_GET_RESVS DBD_GET_STATS DBD_GET_TRES DBD_GET_TXN DBD_GET_USERS DBD_GET_WCKEYS DBD_GET_WCKEY_USAGE`)

// amongDaemons are the messages by which nodes and daemons tell one another what
// happened; jobs that run cause them while nobody asks for anything.
var amongDaemons = set(`
	ACCOUNTING_FIRST_REG ACCOUNTING_REGISTER_CTLD MESSAGE_COMPOSITE MESSAGE_EPILOG_COMPLETE MESSAGE_NODE_REGISTRATION_STATUS
	REQUEST_COMPLETE_BATCH_SCRIPT REQUEST_COMPLETE_JOB_ALLOCATION REQUEST_COMPLETE_PROLOG REQUEST_STEP_COMPLETE

	DBD_CLUSTER_TRES DBD_FLUSH_JOBS DBD_JOB_COMPLETE DBD_JOB_START DBD_JOB_SUSPEND DBD_NODE_STATE DBD_REGISTER_CTLD
	DBD_ROLL_USAGE DBD_SEND_MULT_JOB_START DBD_SEND_MULT_MSG DBD_STEP_COMPLETE DBD_STEP_START`)

func set(names string) map[string]bool {
	members := make(map[string]bool)
	for _, name := range strings.Fields(names) {
		members[name] = true
	}
	return members
}
