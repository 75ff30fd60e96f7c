package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"

	"schedmate/adapters/store/files"
	"schedmate/advisor"
	"schedmate/advisor/launch"
	"schedmate/advisor/workload"
	"schedmate/internal/redact"
)

// cacheBytes bounds the earlier answers in the state folder.
const cacheBytes = 64 << 20

// analyser answers submissions, and remembers answers in the state folder
// unless a cache is not wanted or there is no folder.
func (a *app) analyser(cache bool) *advisor.Analyser {
	var store advisor.Store
	if state, err := a.config.StateFolder(); err == nil && cache {
		store = files.Open(filepath.Join(state, "advisor"), cacheBytes)
	}
	return advisor.NewAnalyser(advisor.DefaultBudget, programIdentity(), store)
}

// collectLess lets the heap grow to five times what is in use before it is swept:
// what an analysis makes is small and soon thrown away, and a fifth of its
// computing was sweeping (measured on 92 submissions). A user's GOGC counts.
func collectLess() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
}

// programIdentity differs between two builds: earlier answers of another build
// count for nothing.
var programIdentity = sync.OnceValue(func() string {
	id := Version
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" || s.Key == "vcs.modified" {
				id += " " + s.Value
			}
		}
	}
	if path, err := os.Executable(); err == nil {
		if stat, err := os.Stat(path); err == nil {
			id += fmt.Sprintf(" %d %d", stat.Size(), stat.ModTime().UnixNano())
		}
	}
	return id
})

// submissionOf makes a submission of its document. The folder of a relative
// root is the given one.
func submissionOf(text []byte, folder string) (advisor.Submission, error) {
	s, err := launch.ParseSubmission(text)
	if err != nil {
		return advisor.Submission{}, err
	}
	root := s.Root
	if root == "" {
		return advisor.Submission{}, fmt.Errorf("submission %.40q: it has no root: name the folder of the repository", s.ID)
	}
	if !filepath.IsAbs(root) {
		root = filepath.Join(folder, root)
	}
	return advisor.Submission{ID: s.ID, Folder: root, Request: s.Request()}, nil
}

// estimateLine is what 'estimate --jsonl' says about one submission.
type estimateLine struct {
	Job          string                    `json:"job"`
	File         string                    `json:"file,omitempty"` // of an error
	Line         int                       `json:"line,omitempty"`
	Error        string                    `json:"error,omitempty"`
	Fields       map[workload.Field]any    `json:"fields"`
	Evidence     map[workload.Field]string `json:"evidence"` // "file:line"
	Candidates   map[workload.Field][]any  `json:"candidates"`
	Unknown      map[workload.Field]string `json:"unknown,omitempty"`
	Layers       map[workload.Field]string `json:"layers,omitempty"` // the whole evidence: operands, and what was beaten
	Program      string                    `json:"program,omitempty"`
	Runs         int                       `json:"runs"`
	TimeLimit    int                       `json:"time_limit_s,omitempty"`
	Warnings     []string                  `json:"warnings"`
	WorkloadHash string                    `json:"workload_hash"`
	CostHash     string                    `json:"cost_hash"`
	CodeHash     string                    `json:"code_hash,omitempty"`
	Seconds      float64                   `json:"seconds"`
	BytesRead    int64                     `json:"bytes_read"`
	FilesRead    []string                  `json:"files_read"`
	LLMTokens    int                       `json:"llm_tokens"`
	Remembered   bool                      `json:"remembered,omitempty"`
}

// shown is a text of a repository without what looks like a secret.
func shown(text string) string { return redact.Redact(validText(text)) }

func shownValue(v any) any {
	if text, ok := v.(string); ok {
		return shown(text)
	}
	return v
}

// longFraction matches a number with more digits behind the point than matter.
var longFraction = regexp.MustCompile(`[0-9]+\.[0-9]{6,}`)

// fewDigits shortens the numbers of a formula to six digits that tell something.
func fewDigits(evidence string) string {
	at := strings.Index(evidence, "derived:")
	if at < 0 {
		return evidence
	}
	return evidence[:at] + longFraction.ReplaceAllStringFunc(evidence[at:], func(text string) string {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return text
		}
		return numberText(x)
	})
}

// numberText writes whole numbers in full and others with six digits that tell
// something.
func numberText(x float64) string {
	if x == math.Trunc(x) && math.Abs(x) < 1e15 {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'g', 6, 64)
}

// fill takes over what an analysis says.
func (l *estimateLine) fill(x *advisor.Analysis) {
	l.Fields, l.Evidence, l.Layers = map[workload.Field]any{}, map[workload.Field]string{}, map[workload.Field]string{}
	l.Candidates, l.Unknown = map[workload.Field][]any{}, map[workload.Field]string{}
	for f, answer := range x.Fields {
		l.Fields[f], l.Evidence[f], l.Layers[f] = shownValue(answer.Value), shown(answer.Place), fewDigits(shown(answer.Evidence))
		l.Evidence[f] = fewDigits(l.Evidence[f])
	}
	for f, all := range x.Candidates {
		for _, answer := range all {
			l.Candidates[f] = append(l.Candidates[f], shownValue(answer.Value))
		}
	}
	for f, why := range x.Unknown {
		l.Unknown[f] = shown(why)
	}
	l.Warnings = []string{}
	for _, w := range x.Warnings {
		l.Warnings = append(l.Warnings, shown(w))
	}
	l.Program, l.Runs, l.TimeLimit = shown(x.Program), x.Runs, x.TimeLimit
	l.WorkloadHash, l.CostHash, l.CodeHash = x.Print.Workload, x.Print.Cost, x.Print.Code
	l.Seconds, l.BytesRead, l.Remembered = x.Seconds, x.BytesRead, x.Remembered
	l.FilesRead = validTexts(x.FilesRead)
}

func validTexts(list []string) []string {
	out := make([]string, 0, len(list))
	for _, text := range list {
		out = append(out, validText(text))
	}
	return out
}

// analysed is a submission with what is known of it.
type analysed struct {
	id       string
	analysis *advisor.Analysis
	err      error
}

// analyse answers one submission document.
func analyseText(ctx context.Context, x *advisor.Analyser, text []byte, folder string) analysed {
	s, err := submissionOf(text, folder)
	if err != nil {
		var named struct {
			ID string `json:"id"`
		}
		_ = json.Unmarshal(text, &named) // the error is told already
		return analysed{id: named.ID, err: err}
	}
	out := analysed{id: s.ID}
	out.err = contained(func() error {
		out.analysis, err = x.Analyse(ctx, s)
		return err
	})
	return out
}

// orderOfFields is how people read an answer: what, how much, on what, how.
var orderOfFields = []workload.Field{
	workload.ModelName, workload.ModelFamily, workload.ParamsM, workload.Domain, workload.Task, workload.Dataset,
	workload.Iterations, workload.IterationType, workload.PerDeviceBatchSize, workload.GradAccum, workload.GlobalBatchSize, workload.BatchUnit,
	workload.GPUsTotal, workload.GPUsPerNode, workload.Nodes, workload.ParallelStrategy, workload.TensorParallel, workload.PipelineParallel,
	workload.Precision, workload.Optimizer, workload.LearningRate, workload.DModel, workload.NLayers, workload.SeqLen, workload.ImageSize,
	workload.NumWorkers, workload.InitFrom, workload.Tuning,
}

// fieldsInOrder lists all fields, those that are not in the order at its end.
func fieldsInOrder() []workload.Field {
	all := workload.Fields()
	place := func(f workload.Field) int {
		if i := slices.Index(orderOfFields, f); i >= 0 {
			return i
		}
		return len(orderOfFields)
	}
	slices.SortStableFunc(all, func(a, b workload.Field) int { return cmp.Compare(place(a), place(b)) })
	return all
}
