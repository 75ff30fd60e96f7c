package slurm

import (
	"bufio"
	"errors"
	"fmt"
	"io"
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
	l := &leash{from: from}
	lines := bufio.NewReaderSize(l, 64<<10)
	var rest strings.Builder
	for {
		l.letOut()
		line, err := lines.ReadString('\n')
		if err != nil && err != io.EOF {
			return err
		}
		rest.WriteString(line)
		if !strings.HasSuffix(line, "\n") && line != "" {
			return errCut // a number at its end may have lost digits
		}
		if strings.Contains(line, t.separator) || rest.Len() > maxRow {
			text := strings.TrimSuffix(rest.String(), "\n")
			if cells := strings.Split(text, t.separator); len(cells) == t.cells() {
				row := make(map[string]string, len(t.columns))
				for i, name := range t.columns {
					row[name] = strings.ToValidUTF8(cells[i], "\uFFFD")
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
	"NodeList", "RestartCnt", "BatchFlag", "BatchHost", "Deadline", "UserID", "tres-per-socket", "Name", "WorkDir", "STDOUT", "STDERR", "Command", "Comment", "JobArrayID",
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

// readQueueColumns reads the output of squeue -O. What these columns do not tell is
// a gap.
func readQueueColumns(from io.Reader, separator string) (*queue, error) {
	q := &queue{}
	t := table{separator, queueColumns, true}
	err := t.rows(from, func(row map[string]string) error {
		r, err := recordOf(row)
		q.add(r, err) // a bad row does not take the others with it
		return nil
	})
	q.finish("squeue")
	q.gaps = append(q.gaps, columnsGap)
	return q, err
}

var columnsGap = schedmate.Gap{
	What: "nodes that jobs exclude, the most nodes and the memory and tasks of a node that they ask for, what running jobs on whole nodes and of which type of GPU they had asked for, GPU indices, what jobs on several nodes hold of each, and when Slurm last looked at a job that waits and where it plans to start it",
	Why:  "this squeue writes no JSON", Next: "install Slurm's JSON serializer plugin",
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
		Account: get("Account"), Batch: row["BatchFlag"] == "1", BatchHost: get("BatchHost"), Command: get("Command"), Comment: get("Comment"),
		Deadline: at("Deadline"), Dependency: get("Dependency"), Eligible: at("EligibleTime"), End: at("EndTime"), Features: get("Feature"),
		HetJob: whole("HetJobID"), HetOffset: whole("HetJobOffset"), JobID: whole("JobID"), State: words{string(get("State"))}, Licences: get("Licenses"),
		Name: text(row["Name"]), NodeList: get("NodeList"), Nodes: whole("NumNodes"), CPUs: whole("NumCPUs"), Tasks: whole("NumTasks"),
		CPUsTask: whole("cpus-per-task"), MinCPUs: whole("MinCpus"), Partition: get("Partition"), Priority: wide(row["PriorityLong"]), QOS: get("QOS"), Required: get("ReqNodes"),
		Restarts: whole("RestartCnt"), Reserved: get("Reservation"), Start: at("StartTime"), Reason: get("Reason"), Stdout: get("STDOUT"), Stderr: get("STDERR"),
		Submit: at("SubmitTime"), TimeLimit: number(limit / 60), PerJob: get("tres-per-job"), PerNode: get("tres-per-node"), PerTask: get("tres-per-task"), PerSocket: get("tres-per-socket"),
		User: get("UserName"), UserID: whole("UserID"), WorkDir: get("WorkDir"),
	}
	if row["OverSubscribe"] == "NO" || row["OverSubscribe"] == "EXCLUSIVE" {
		r.Shared = words{"none"}
	}
	switch state, _ := jobState(r.State); { // the column tells what is asked for, and once the job runs what it got
	case state == "PENDING":
		r.Asked = get("tres-alloc")
	case len(r.Shared) > 0:
		r.Allocated, r.CPUs = get("tres-alloc"), 0
	default:
		r.Asked, r.Allocated = get("tres-alloc"), get("tres-alloc")
	}
	if strings.Contains(string(r.Reason), " ") { // Slurm's sentence stands where its word would
		r.Reason, r.StateText = "", r.Reason
	}
	if id, tasks, ok := strings.Cut(row["JobArrayID"], "_"); ok {
		n, err := strconv.ParseInt(id, 10, 64)
		if err != nil {
			return r, errors.New("has no number of its array")
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
