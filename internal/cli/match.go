package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"schedmate"
	"schedmate/advisor"
	"schedmate/advisor/fingerprint"
	"schedmate/advisor/workload"
)

func matchCommand(a *app) *cobra.Command {
	var pairs string
	var jsonl, noCache bool
	cmd := &cobra.Command{
		Use:   "match (A.json B.json | --submissions FILE --jsonl)",
		Short: "Say whether two jobs do the same work",
		Long: `Match reads two submissions as 'schedmate estimate' does and compares what they
compute: whether runs of one tell how long the other takes, and how many times as
long. Names, folders, formatting, order and comments do not count; another model,
data set, amount of work or end condition does.

A submission is a JSON object with id, root, command or argv, env, workdir and
launch. Exit code 0 says that the two were compared, not that they match.`,
		Example: `  schedmate match before.json after.json
  schedmate match before.json after.json -o json
  schedmate match --submissions pairs.jsonl --jsonl`,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case pairs != "" && len(args) > 0:
				return usage(errors.New("--submissions holds the pairs: leave the files out"))
			case pairs != "" && !jsonl:
				return usage(errors.New("--submissions needs --jsonl: its answers are lines for programs"))
			case pairs == "" && jsonl:
				return usage(errors.New("--jsonl needs --submissions, the file with a pair a line"))
			case pairs == "" && len(args) != 2:
				return usage(fmt.Errorf("name two files with a submission each, not %d", len(args)))
			case count(args, "-") > 1:
				return usage(errors.New("'-' is named twice, but there is one standard input"))
			}
			if err := oneFormat(cmd, jsonl); err != nil {
				return usage(err)
			}
			collectLess()
			x := a.analyser(!noCache)
			if pairs != "" {
				return a.matchEach(cmd.Context(), x, pairs)
			}
			return a.match(cmd.Context(), x, args)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&pairs, "submissions", "", "`file` with a pair a line, {\"pair\", \"a\": submission, \"b\": submission}; '-' is standard input")
	fl.BoolVar(&jsonl, "jsonl", false, "with --submissions: one JSON object a pair, in their order, each as soon as it is ready")
	fl.BoolVar(&noCache, "no-cache", false, "neither use nor keep earlier answers")
	fl.String("parallel", "", "`number` of pairs read at a time (default: one a processor)") // read by configure
	must(cmd.MarkFlagFilename("submissions", "jsonl"))
	return cmd
}

// matchLine is what 'match --jsonl' says about one pair. Fields are those of b.
type matchLine struct {
	Pair      string                 `json:"pair"`
	Match     bool                   `json:"match"`
	Scale     *float64               `json:"scale"` // duration of b over that of a; null: no match
	Decision  string                 `json:"decision"`
	Why       []string               `json:"why"`
	Fields    map[workload.Field]any `json:"fields"`
	Seconds   float64                `json:"seconds"`
	BytesRead int64                  `json:"bytes_read"` // of the one that read more
	FilesRead []string               `json:"files_read"` // of both
}

func (a *app) matchEach(ctx context.Context, x *advisor.Analyser, file string) error {
	return a.eachDocument(ctx, file, func(ctx context.Context, line documentLine) (any, error) {
		var pair struct {
			Pair string          `json:"pair"`
			A    json.RawMessage `json:"a"`
			B    json.RawMessage `json:"b"`
		}
		err := line.err
		if err == nil {
			if err = json.Unmarshal(line.text, &pair); err != nil {
				err = fmt.Errorf("pair: %w: give one JSON object with pair, a and b", err)
			}
		}
		var out *matchLine
		if err == nil {
			out, err = matchTexts(ctx, x, pair.A, pair.B, folderOf(file), folderOf(file))
		}
		if err != nil {
			return &unanswered{Pair: validText(pair.Pair), File: validText(file), Line: line.number, Error: shown(err.Error())}, err
		}
		out.Pair = validText(pair.Pair)
		return out, nil
	})
}

// matchTexts compares two submission documents.
func matchTexts(ctx context.Context, x *advisor.Analyser, textA, textB []byte, folderA, folderB string) (*matchLine, error) {
	start := time.Now()
	one, other := analyseText(ctx, x, textA, folderA), analyseText(ctx, x, textB, folderB)
	if one.err != nil {
		return nil, fmt.Errorf("a: %w", one.err)
	}
	if other.err != nil {
		return nil, fmt.Errorf("b: %w", other.err)
	}
	c := fingerprint.Compare(one.analysis.Print, other.analysis.Print)
	out := &matchLine{Match: c.Decision != fingerprint.Different, Decision: c.Decision.String(), Why: []string{}, Fields: map[workload.Field]any{}}
	if out.Match {
		out.Scale = &c.Scale
	}
	for _, why := range c.Why {
		out.Why = append(out.Why, shown(why))
	}
	for f, answer := range other.analysis.Fields {
		out.Fields[f] = shownValue(answer.Value)
	}
	out.BytesRead = max(one.analysis.BytesRead, other.analysis.BytesRead)
	out.FilesRead = validTexts(append(slices.Clone(one.analysis.FilesRead), other.analysis.FilesRead...))
	slices.Sort(out.FilesRead)
	out.FilesRead = slices.Compact(out.FilesRead)
	out.Seconds = time.Since(start).Seconds()
	return out, nil
}

// matchDocument is what match answers about two files.
type matchDocument struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	*matchLine
}

func (a *app) match(ctx context.Context, x *advisor.Analyser, files []string) error {
	var texts [2][]byte
	for i, path := range files {
		in, err := a.openInput(path)
		if err != nil {
			return err
		}
		texts[i], err = io.ReadAll(io.LimitReader(in, maxDocument))
		in.Close() // it was only read
		if err != nil {
			return asFailure(fmt.Errorf("read %s: %w", path, err))
		}
		s, err := submissionOf(texts[i], folderOf(path))
		if err != nil {
			return usage(fmt.Errorf("%s: %w", path, err))
		}
		if info, err := os.Stat(s.Folder); err != nil || !info.IsDir() {
			return notFound(fmt.Errorf("%s: root %s is no folder that can be read: name the folder of the repository", path, s.Folder))
		}
	}
	var out *matchLine
	err := interruptible(ctx, func() (err error) {
		out, err = matchTexts(ctx, x, texts[0], texts[1], folderOf(files[0]), folderOf(files[1]))
		return err
	})
	if err != nil {
		return asFailure(err)
	}
	out.Pair = validText(files[0] + " " + files[1])
	doc := &matchDocument{schedmate.APIVersion, "Match", out}
	return a.render(doc, func(w io.Writer) error { return matchText(w, out) })
}

// matchText tells people how two jobs relate.
func matchText(w io.Writer, m *matchLine) error {
	text := map[string]string{
		"same": "The same work: runs of one are runs of the other",
		"near": "The same kind of work in another amount", "different": "Different work: runs of one say nothing about the other",
	}[m.Decision]
	if m.Match && *m.Scale != 1 {
		text += "; the second takes " + strconv.FormatFloat(*m.Scale, 'g', 3, 64) + " times as long on the same GPUs"
	}
	if _, err := fmt.Fprintln(w, text); err != nil {
		return err
	}
	for _, why := range m.Why {
		if _, err := fmt.Fprintf(w, "  %s\n", printable(why)); err != nil {
			return err
		}
	}
	return nil
}
