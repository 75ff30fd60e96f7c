package report

import (
	"math"
	"strconv"
	"strings"
	"time"

	"schedmate"
	"schedmate/failure"
)

// in picks a language of a text.
func (l Language) in(t failure.Text) string {
	if l == Chinese {
		return t.Chinese
	}
	return t.English
}

// span is a piece of a sentence: of ours, or from outside and then set as code.
type span struct {
	Text string
	Code bool
}

// sentence is what the report says: pieces of ours and from outside, which each
// format keeps apart in its own way.
type sentence []span

func (s sentence) String() string {
	var b strings.Builder
	for _, p := range s {
		b.WriteString(p.Text)
	}
	return b.String()
}

// code is text from outside in a sentence.
type code string

// say builds a sentence from a pattern in each language, in which {0}, {1}
// stand for the arguments: strings of ours, or code.
func (l Language) say(english, chinese string, args ...any) sentence {
	pattern := l.in(failure.Text{English: english, Chinese: chinese})
	var s sentence
	add := func(t string, c bool) {
		if t != "" {
			s = append(s, span{t, c})
		}
	}
	for pattern != "" {
		i := strings.IndexByte(pattern, '{')
		if i < 0 || i+2 >= len(pattern) || pattern[i+2] != '}' {
			break
		}
		add(pattern[:i], false)
		switch a := args[pattern[i+1]-'0'].(type) {
		case code:
			add(string(a), true)
		case string:
			add(a, false)
		case sentence:
			s = append(s, a...)
		}
		pattern = pattern[i+3:]
	}
	add(pattern, false)
	return s
}

// plain is a sentence of our own without arguments.
func plain(text string) sentence { return sentence{{Text: text}} }

type pair = failure.Text

var classes = map[schedmate.FailureClass]pair{
	schedmate.InfrastructureFailure: {English: "infrastructure", Chinese: "基础设施"},
	schedmate.FrameworkFailure:      {English: "framework", Chinese: "软件框架"},
	schedmate.UserFailure:           {English: "user", Chinese: "用户"},
}

// actor is who has to act, with the verb of the sentence.
type actor struct {
	name pair
	verb string
}

var actors = map[failure.Actor]actor{
	failure.ActsOperator:  {pair{English: "the operator of the cluster", Chinese: "集群管理员"}, "has"},
	failure.ActsOwner:     {pair{English: "the owner of the training software", Chinese: "训练软件的维护者"}, "has"},
	failure.ActsSubmitter: {pair{English: "the person who submitted the job", Chinese: "作业提交者"}, "has"},
	failure.ActsBoth:      {pair{English: "the person who submitted the job and the operator of the cluster", Chinese: "作业提交者与集群管理员共同"}, "have"},
}

var components = map[schedmate.Component]pair{
	schedmate.ComponentGPU:             {English: "GPU", Chinese: "GPU"},
	schedmate.ComponentNVLink:          {English: "NVLink", Chinese: "NVLink"},
	schedmate.ComponentNVSwitch:        {English: "NVSwitch", Chinese: "NVSwitch"},
	schedmate.ComponentNPU:             {English: "NPU", Chinese: "NPU"},
	schedmate.ComponentTPU:             {English: "TPU", Chinese: "TPU"},
	schedmate.ComponentDriver:          {English: "driver", Chinese: "驱动"},
	schedmate.ComponentNode:            {English: "the node itself", Chinese: "节点本身"},
	schedmate.ComponentNetwork:         {English: "network", Chinese: "网络"},
	schedmate.ComponentStorage:         {English: "storage", Chinese: "存储"},
	schedmate.ComponentHostMemory:      {English: "host memory", Chinese: "主机内存"},
	schedmate.ComponentContainer:       {English: "container", Chinese: "容器"},
	schedmate.ComponentPCIe:            {English: "PCIe", Chinese: "PCIe"},
	schedmate.ComponentScheduler:       {English: "scheduler", Chinese: "调度器"},
	schedmate.ComponentExternalService: {English: "external service", Chinese: "外部服务"},
	schedmate.ComponentCheckpoint:      {English: "checkpoint", Chinese: "检查点"},
	schedmate.ComponentData:            {English: "data", Chinese: "数据"},
	schedmate.ComponentDependency:      {English: "dependency", Chinese: "依赖包"},
	schedmate.ComponentCompiler:        {English: "compiler", Chinese: "编译器"},
	schedmate.ComponentFramework:       {English: "framework", Chinese: "软件框架"},
	schedmate.ComponentUserCode:        {English: "user code", Chinese: "用户代码"},
	schedmate.ComponentUserConfig:      {English: "user configuration", Chinese: "用户配置"},
	schedmate.ComponentUnknown:         {English: "unknown part", Chinese: "未知部件"},
	schedmate.ComponentNone:            {English: "none", Chinese: "无"},
}

// count prints a whole number with its digits in groups: 2,309.
func count[N int | int64](n N) string {
	digits := strconv.FormatInt(int64(n), 10)
	sign := ""
	if digits[0] == '-' {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// counted prints a number with its English noun.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return count(n) + " " + many
}

// step prints the value of a counter.
func step(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return count(int64(v))
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}

// percent prints a share without decimals; only a whole one is 100 %.
func percent(share float64) string {
	p := int(math.Round(100 * share))
	if share < 1 {
		p = min(p, 99)
	}
	return strconv.Itoa(p) + " %"
}

// size prints bytes in binary units.
func size(bytes int64) string {
	v, unit := float64(bytes), "B"
	for _, u := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if v < 1024 {
			break
		}
		v, unit = v/1024, u
	}
	if v >= 10 || unit == "B" {
		return strconv.FormatFloat(v, 'f', 0, 64) + " " + unit
	}
	return strconv.FormatFloat(v, 'f', 1, 64) + " " + unit
}

// unknownYear is the year of stamps that print none.
const unknownYear = 2000

// clockTime prints a log's own time; logs rarely say of which zone it is.
func clockTime(nanos int64) string {
	t := time.Unix(0, nanos).UTC()
	if t.Year() == unknownYear {
		return t.Format("01-02 15:04:05")
	}
	return t.Format("2006-01-02 15:04:05")
}
