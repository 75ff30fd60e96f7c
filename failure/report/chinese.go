package report

import "regexp"

// chinese has what the reasoning says in English sentences: why a finding comes of
// another, what else it could be, why a node is kept. What is not in it, such as
// the sentences of other rules than the built-in ones, stays English.
var chinese = map[string]string{
	// why no node is taken out
	"the logs do not name the node":                                                         "日志没有指明节点",
	"nothing but a name in the logs says that it was this node":                             "只有日志里的一个名字指向该节点",
	"the same is seen on several nodes: look for what they share first":                     "多个节点出现同样的错误：先查它们共用的部件",
	"one sign is not enough: a second, independent one is needed":                           "一个迹象不够：还需要第二个独立的迹象",
	"the job ended on something else, which this does not explain: a second sign is needed": "作业因别的错误结束，此处无法解释：还需要第二个迹象",

	// what brings about what
	"the same, told again":                           "同一错误的重复",
	"its peer was gone":                              "对端已退出",
	"a launcher tells of the end":                    "启动器报告进程结束",
	"what was written when the disk was full is cut": "磁盘写满时写入的内容不完整",
	"the host ran out of memory and killed it":       "主机内存耗尽，进程被杀",
	"its pod was taken away":                         "所在 Pod 被移除",
	"the device had failed":                          "设备已先故障",
	"there was no usable device":                     "没有可用的设备",
	"the kernel's assertion had failed, and the device reports it at the next call": "内核中的断言已失败，设备在下一次调用时才报告",
	"the device's memory was used up":                                               "设备显存已用尽",
	"the device's context was broken":                                               "设备上下文已损坏",
	"the kernel's own line of the same failure, printed later":                      "操作系统内核对同一故障的记录，打印较晚",
	"the network had failed":                                                        "网络已先故障",
	"the node was gone":                                                             "节点已失联",
	"the job was ended from outside":                                                "作业被外部终止",
	"the file system had failed":                                                    "文件系统已先故障",
	"the other ranks waited for the checkpoint":                                     "其他 rank 在等待检查点写完",
	"the shared memory was used up":                                                 "共享内存已用尽",
	"the process had crashed":                                                       "进程已崩溃",
	"the process had been killed":                                                   "进程已被杀死",
	"the numbers were no numbers any more":                                          "数值已变为 NaN 或 Inf",
	"the extension was not there":                                                   "扩展模块不可用",
	"the service could not be reached":                                              "无法连接该服务",
	"access was refused":                                                            "访问被拒绝",
	"the processes never came together":                                             "各进程始终没有建立连接",
	"the task was never started":                                                    "任务没有启动",
	"the ranks called different collectives":                                        "各 rank 调用了不同的集合通信",
	"somebody had stopped it":                                                       "有人终止了它",
	"the data could not be read":                                                    "数据无法读取",
	"the configuration was wrong":                                                   "配置有误",

	// how the rest of the logs qualifies the root
	"killed while it was loading, which points to its own memory":   "加载阶段被杀，说明是自身内存用量过大",
	"killed, and nothing around it speaks of a scheduler or a peer": "被杀，前后没有调度器或对端的记录",
	"killed in the middle of its work, and nothing says by whom":    "运行途中被杀，日志没有说明由谁所杀",
	"what a job loads at its start is its own":                      "启动阶段加载的内容由作业自己决定",
	"the memory did not suffice from the start":                     "一开始内存就不够",
	"the library failed at its first use":                           "该库首次使用即失败",
	"the very first collective never ended":                         "第一次集合通信就没有完成",
	"one of the first collectives never ended":                      "最初几次集合通信之一没有完成",
	"the ranks waited while a checkpoint was written":               "写检查点期间各 rank 一直在等待",

	// what else it could be
	"the line alone says this":                                                  "单看这一行是如此",
	"the kernel kills what uses too much memory: look for its line":             "内核会杀死占用内存过多的进程：查内核日志",
	"a scheduler ends jobs so: look at its events":                              "调度器也这样结束作业：查调度器事件",
	"a link that is down leaves all waiting: look at the port counters":         "链路中断会让所有进程等待：查端口计数器",
	"ranks that call different collectives wait for ever: compare their stacks": "各 rank 调用不同的集合通信会互相死等：比较它们的调用栈",
	"a rank that says nothing may be on a node that is gone":                    "没有输出的 rank 可能在已失联的节点上",
	"ranks wait for one that writes":                                            "各 rank 可能在等待正在写文件的 rank",
	"the peer may have been killed: look for its end":                           "对端可能被杀：查它是怎样结束的",
	"the peer's node may be gone":                                               "对端所在节点可能已失联",
	"the connection itself may have failed":                                     "连接本身可能出了故障",
	"its own output is missing here":                                            "此处缺少该进程自己的输出",
	"a scheduler asks jobs to end so":                                           "调度器也这样要求作业结束",
	"a person asks jobs to end so":                                              "也可能是有人要求作业结束",
	"not all processes were started":                                            "可能有进程没有启动",
	"the port cannot be reached":                                                "可能端口不通",
	"a node is gone":                                                            "可能有节点失联",
	"a kernel that reads where it must not does the same on every GPU":          "越界访问的 GPU 核函数在任何 GPU 上都会如此",
	"a kernel that fails does the same on every GPU":                            "有错的 GPU 核函数在任何 GPU 上都会失败",
	"rarely memory of the host: only if the same node shows it in other jobs":   "少数情况是主机内存故障：仅当该节点的其他作业也出现",
}

// chinesePatterns are the sentences with numbers in them.
var chinesePatterns = []struct {
	english *regexp.Regexp
	chinese string
}{
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
