package slurm

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"schedmate"
)

// table reads rows of columns between separators that nobody can guess, so that a
// column may hold anything, also line feeds.
type table struct {
	separator string
	columns   []string
	ended     bool // a separator follows the last column, too, as squeue does and sacct does not
}

// cells is how many parts a row falls into at its separators.
func (t *table) cells() int {
	if t.ended {
		return len(t.columns) + 1
	}
	return len(t.columns)
}

// rows gives each row to take. A row is complete when it has all its columns and
// its line ends. The last column must be one that Slurm writes itself, without line
// feeds.
func (t *table) rows(from io.Reader, take func(row map[string]string) error) error {
	lines := bufio.NewReaderSize(from, 64<<10)
	var rest strings.Builder
	for {
		line, err := lines.ReadString('\n')
		if err != nil && err != io.EOF {
			return err
		}
		rest.WriteString(line)
		if n := strings.Count(line, t.separator); n > 0 || rest.Len() > maxRow {
			text := strings.TrimSuffix(rest.String(), "\n")
			if cells := strings.Split(text, t.separator); len(cells) == t.cells() {
				row := make(map[string]string, len(t.columns))
				for i, name := range t.columns {
					row[name] = cells[i]
				}
				if err := take(row); err != nil {
					return err
				}
				rest.Reset()
			} else if len(cells) > t.cells() || rest.Len() > maxRow {
				return fmt.Errorf("a row falls into %d parts instead of %d", len(cells), t.cells())
			}
		}
		if err == io.EOF {
			if strings.TrimSpace(rest.String()) != "" {
				return errCut
			}
			return nil
		}
	}
}

// maxRow bounds one row.
const maxRow = 4 << 20

// queueColumns are the fields of squeue -O that are read where it has no JSON.
// They are the same from 22.05 to 26.05.
var queueColumns = []string{
	"JobID", "ArrayJobID", "ArrayTaskID", "HetJobID", "HetJobOffset", "State", "Reason", "PriorityLong", "UserName", "Account", "QOS", "Partition",
	"SubmitTime", "EligibleTime", "StartTime", "EndTime", "TimeLimit", "NumNodes", "NumCPUs", "NumTasks", "cpus-per-task", "MinCpus",
	"tres-per-node", "tres-per-job", "tres-per-task", "tres-alloc", "Feature", "ReqNodes", "Licenses", "Reservation", "Dependency", "OverSubscribe",
	"NodeList", "RestartCnt", "exit_code", "BatchHost", "Name", "WorkDir", "STDOUT", "STDERR", "Command", "Comment", "JobArrayID",
}

// queueFormat is the -O option for these.
func queueFormat(separator string) string {
	var b strings.Builder
	for i, name := range queueColumns {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(name + ":" + separator)
	}
	return b.String()
}

// readQueueColumns reads the output of squeue -O. What these columns do not tell,
// the nodes that a job excludes and how it is spread over several, is a gap.
func readQueueColumns(from io.Reader, separator string) (*queue, error) {
	q := &queue{}
	bad := 0
	var firstBad error
	t := table{separator, queueColumns, true}
	err := t.rows(from, func(row map[string]string) error {
		r, err := recordOf(row)
		if err == nil {
			var j schedmate.ObservedJob
			if j, err = r.job(); err == nil {
				q.jobs = append(q.jobs, j)
				return nil
			}
		}
		if bad++; firstBad == nil {
			firstBad = fmt.Errorf("job %.20s: %w", row["JobID"], err)
		}
		return nil
	})
	if bad > 0 {
		q.gaps = append(q.gaps, schedmate.Gap{What: plural(bad, "job"), Why: "Slurm's answer about them could not be read: " + firstBad.Error(), Next: "report this with the output of 'squeue'"})
	}
	q.gaps = append(q.gaps, schedmate.Gap{What: "nodes that jobs exclude, and what jobs on several nodes hold of each", Why: "this squeue writes no JSON", Next: "install Slurm's JSON serializer plugin"})
	slices.SortFunc(q.jobs, func(a, b schedmate.ObservedJob) int { return schedmate.CompareJobIDs(a.ID, b.ID) })
	return q, err
}

// recordOf makes a record of a row of squeue.
func recordOf(row map[string]string) (*record, error) {
	get := func(name string) text { return text(none(row[name])) }
	var failed error
	whole := func(name string) number {
		v := none(row[name])
		if v == "" {
			return 0
		}
		n, err := amount(v)
		if err != nil && failed == nil {
			failed = fmt.Errorf("%s: %w", name, err)
		}
		return number(n)
	}
	at := func(name string) number {
		s, err := instant(row[name])
		if err != nil && failed == nil {
			failed = fmt.Errorf("%s: %w", name, err)
		}
		return number(s)
	}
	limit, err := duration(row["TimeLimit"])
	if err != nil {
		failed = fmt.Errorf("TimeLimit: %w", err)
	}
	r := &record{
		Account: get("Account"), Batch: get("STDOUT") != "", BatchHost: get("BatchHost"), Command: get("Command"), Comment: get("Comment"),
		Dependency: get("Dependency"), Eligible: at("EligibleTime"), End: at("EndTime"), Features: get("Feature"),
		HetJob: whole("HetJobID"), HetOffset: whole("HetJobOffset"), JobID: whole("JobID"), State: words{string(get("State"))}, Licences: get("Licenses"),
		Name: text(row["Name"]), NodeList: get("NodeList"), Nodes: whole("NumNodes"), CPUs: whole("NumCPUs"), Tasks: whole("NumTasks"),
		CPUsTask: whole("cpus-per-task"), MinCPUs: whole("MinCpus"), Partition: get("Partition"), Priority: wide(row["PriorityLong"]), QOS: get("QOS"), Required: get("ReqNodes"),
		Restarts: whole("RestartCnt"), Reserved: get("Reservation"), Start: at("StartTime"), Reason: get("Reason"), Stdout: get("STDOUT"), Stderr: get("STDERR"),
		Submit: at("SubmitTime"), TimeLimit: number(limit / 60), PerJob: get("tres-per-job"), PerNode: get("tres-per-node"), PerTask: get("tres-per-task"),
		User: get("UserName"), WorkDir: get("WorkDir"),
	}
	if list := string(get("tres-alloc")); r.State.first() == "PENDING" { // it tells what is asked for, then
		r.Asked = text(list)
	} else {
		r.Asked, r.Allocated = text(list), text(list)
	}
	if row["OverSubscribe"] == "NO" {
		r.Shared = words{"none"}
	}
	if id, tasks, ok := strings.Cut(row["JobArrayID"], "_"); ok {
		n, err := strconv.ParseInt(id, 10, 64)
		if err != nil {
			return nil, errors.New("has no number of its array")
		}
		r.ArrayJob = number(n)
		if one, err := strconv.ParseInt(tasks, 10, 64); err == nil {
			r.ArrayTask = task{one, true}
		} else {
			r.ArrayTasks = text(tasks)
		}
	}
	return r, failed
}

// wide is a number beyond what counts may be, such as a priority.
func wide(s string) number {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return number(n)
}
