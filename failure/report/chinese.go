package report

import "regexp"

// chinese has why a node is kept, which the reasoning says in English. Reasons of
// rules, kinds and links bring their own Chinese ([Options.Chinese]); what is in
// neither stays English.
var chinese = map[string]string{
	"the logs do not name the node":                                                         "日志没有指明节点",
	"nothing but a name in the logs says that it was this node":                             "只有日志里的一个名字指向该节点",
	"the same is seen on several nodes: look for what they share first":                     "多个节点出现同样的错误：先查它们共用的部件",
	"another line names the node, and there are several: this one may be of any":            "节点名出自另一行，而日志中有多个节点：此行可能属于任何一个",
	"one sign is not enough: a second, independent one is needed":                           "一个迹象不够：还需要第二个独立的迹象",
	"only the job's own output says so: name the node's kernel log beside the job":          "只有作业自身的输出这样说：请在作业旁给出该节点的内核日志",
	"the job ended on something else, which this does not explain: a second sign is needed": "作业因别的错误结束，此处无法解释：还需要第二个迹象",
}

// chinesePatterns are the sentences with numbers in them.
var chinesePatterns = []struct {
	english *regexp.Regexp
	chinese string
}{
	{regexp.MustCompile(`^the job did not run on (.+)$`), "作业没有在 $1 上运行"},
	{regexp.MustCompile(`^rank (\d+) is the only one that did not wait$`), "只有 rank $1 没有等待"},
	{regexp.MustCompile(`^collective (\d+) is (.+) of (.+) on rank (\d+) and (.+) of (.+) on rank (\d+)$`), "第 $1 次集合通信在 rank $4 上是 $2（$3），在 rank $7 上是 $5（$6）"},
	{regexp.MustCompile(`^rank (\d+) waits in collective (\d+), the others in (\d+)$`), "rank $1 在第 $2 次集合通信中等待，其他 rank 在第 $3 次"},
}

func (l Language) translated(text string) string {
	if l != Chinese {
		return text
	}
	if t, ok := chinese[text]; ok {
		return t
	}
	for _, p := range chinesePatterns {
		if p.english.MatchString(text) {
			return p.english.ReplaceAllString(text, p.chinese)
		}
	}
	return text
}
