package report

import (
	"fmt"
	"time"

	"schedmate"
	"schedmate/failure"
)

// The kinds are made here: what a report says of an incident must not depend on
// the rules of the day.
var (
	ecc = &failure.Kind{
		Name: "gpu_ecc", Class: schedmate.InfrastructureFailure, Component: schedmate.ComponentGPU, Restart: failure.RestartYes, Quarantine: failure.QuarantineYes,
		Title:  failure.Text{English: "The GPU's memory has an error that cannot be corrected", Chinese: "GPU 显存出现不可纠正错误"},
		Advice: failure.Text{English: "Reset or replace the GPU; restart the job on other nodes from its last checkpoint.", Chinese: "重置或更换该 GPU；在其他节点上从最近的检查点重启作业。"},
		Test:   failure.Text{English: "dcgmi diag -r 2 on the node; nvidia-smi -q -d ECC,ROW_REMAPPER", Chinese: "在该节点运行 dcgmi diag -r 2，并查看 nvidia-smi -q -d ECC,ROW_REMAPPER"},
	}
	peerLost = &failure.Kind{
		Name: "peer_lost", Class: schedmate.InfrastructureFailure, Component: schedmate.ComponentUnknown, Restart: failure.RestartYes, Quarantine: failure.QuarantineNo,
		Title: failure.Text{English: "A peer closed the connection: another process died first", Chinese: "对端断开连接：另一个进程先行退出"},
	}
	cudaError = &failure.Kind{
		Name: "cuda_ecc_seen", Class: schedmate.InfrastructureFailure, Component: schedmate.ComponentGPU, Restart: failure.RestartYes, Quarantine: failure.QuarantineSecond,
		Title: failure.Text{English: "A process sees an ECC error of its GPU", Chinese: "进程发现其 GPU 的 ECC 错误"},
	}
	aborted = &failure.Kind{
		Name: "killed_sigterm", Class: schedmate.InfrastructureFailure, Component: schedmate.ComponentScheduler, Restart: failure.RestartOnce, Quarantine: failure.QuarantineNo,
		Title: failure.Text{English: "A launcher ended the remaining processes", Chinese: "启动器结束了其余进程"},
	}
	shape = &failure.Kind{
		Name: "shape_mismatch", Class: schedmate.UserFailure, Component: schedmate.ComponentUserCode, Restart: failure.RestartNo, Quarantine: failure.QuarantineNo,
		Title:  failure.Text{English: "Two tensors do not fit together", Chinese: "张量形状不匹配"},
		Advice: failure.Text{English: "Print the shapes before the line that failed; look at the last change of the model or the data.", Chinese: "在出错行之前打印形状；检查模型或数据的最近改动。"},
		Test:   failure.Text{English: "Run one step on the CPU with a batch of 2", Chinese: "在 CPU 上用批大小 2 运行一步"},
	}
	retry = &failure.Kind{
		Name: "object_store_error", Class: schedmate.InfrastructureFailure, Component: schedmate.ComponentExternalService, Restart: failure.RestartYes, Quarantine: failure.QuarantineNo,
		Title: failure.Text{English: "The object store did not answer", Chinese: "对象存储没有响应"},
	}
	diskFull = &failure.Kind{
		Name: "disk_full", Class: schedmate.InfrastructureFailure, Component: schedmate.ComponentStorage, Restart: failure.RestartNo, Quarantine: failure.QuarantineNo,
		Title:  failure.Text{English: "The disk is full", Chinese: "磁盘已满"},
		Advice: failure.Text{English: "Free space, then restart the job.", Chinese: "清理空间后重启作业。"},
		Test:   failure.Text{English: "df -h on the path that is named", Chinese: "对日志中的路径运行 df -h"},
	}
	nccl = &failure.Kind{
		Name: "net_ib", Class: schedmate.InfrastructureFailure, Component: schedmate.ComponentNetwork, Restart: failure.RestartYes, Quarantine: failure.QuarantineSecond,
		Title:  failure.Text{English: "InfiniBand gave up sending", Chinese: "InfiniBand 重传失败"},
		Advice: failure.Text{English: "Look at the port counters of both ends.", Chinese: "查看两端的端口计数器。"},
		Test:   failure.Text{English: "ibstat and perfquery on the node", Chinese: "在该节点运行 ibstat 和 perfquery"},
	}
)

func rank(n int) *int { return &n }

// at is a moment on the last day of November 2026, in UTC.
func at(line int64, clock string) failure.Moment {
	t, err := time.Parse("2006-01-02 15:04:05", "2026-11-30 "+clock)
	if err != nil {
		panic(err)
	}
	return failure.Moment{Line: line, Sequence: line, StampNanos: t.UnixNano()}
}

// eccCascade is a job of 64 ranks on eight nodes: a GPU of node 17 has an ECC
// error, rank 12 dies of it, the 63 others lose their peer.
func eccCascade() *failure.Incident {
	xid := schedmate.Quote{File: "dmesg-gpu-node-17.log", Line: 88, Byte: 9120, Text: "Nov 30 02:11:09 gpu-node-17 kernel: NVRM: Xid (PCI:0000:3b:00): 48, pid=4121, name=python3, An uncorrectable double bit error (DBE) has been detected on GPU in the framebuffer at partition 6, subpartition 0."}
	seen := schedmate.Quote{File: "train.log", Line: 14201, Byte: 1802211, Text: "[rank12]: RuntimeError: CUDA error: uncorrectable ECC error encountered"}
	peer := schedmate.Quote{File: "train.log", Line: 14215, Byte: 1803900, Text: "[rank3]: torch.distributed.DistBackendError: NCCL error: remote process exited or there was a network error"}
	in := &failure.Incident{
		Kind: ecc, Meaning: "double-bit ECC error", Lines: 14604, Bytes: 1_850_000,
		Logs: []failure.ReadLog{{Name: "train.log", Bytes: 1_838_000, Lines: 14510}, {Name: "dmesg-gpu-node-17.log", Bytes: 12_000, Lines: 94}},
		Diagnosis: schedmate.Diagnosis{
			Determined: true, Class: schedmate.InfrastructureFailure, Subclass: "gpu_ecc", Component: schedmate.ComponentGPU, Node: "gpu-node-17", Rank: rank(12),
			Root: &xid, Evidence: []schedmate.Quote{xid, seen}, RestartHelps: true, Quarantine: true, Witnesses: []schedmate.Quote{xid, seen},
			Confidence: 0.97, NextTest: ecc.Test.English, ErrorLines: 220, ExplainedErrors: 214,
			LastStep: &schedmate.Reading{Value: 4200, Line: 14190, Method: "counter", Confidence: 1}, LastCheckpoint: &schedmate.Reading{Value: 4000, Line: 13400, Method: "message", Confidence: 1},
		},
		Groups: []failure.Group{
			{Role: failure.RoleRoot, Kind: ecc, Quote: xid, Times: 1, Effects: []failure.Effect{
				{Kind: cudaError, First: seen, Lines: 2, Ranks: 1, Why: "the process meets the error of its device"},
				{Kind: peerLost, First: peer, Lines: 189, Ranks: 63, Why: "its peer was gone"},
				{Kind: aborted, First: schedmate.Quote{File: "train.log", Line: 14490, Text: "srun: error: Terminating StepId=771.0"}, Lines: 22, Why: "a launcher tells of the end"},
			}},
			{Role: failure.RoleRecovered, Kind: retry, Quote: schedmate.Quote{File: "train.log", Line: 6001, Text: "botocore: ReadTimeoutError, retry 1 of 5"}, Times: 3},
		},
	}
	in.Lanes = append(in.Lanes, failure.Lane{
		Log: 1, Host: "gpu-node-17", First: at(1, "01:10:00"), Last: at(94, "02:11:12"),
		Marks: []failure.Mark{{Moment: at(88, "02:11:09"), Kind: "gpu_ecc", Role: failure.RoleRoot}},
	})
	for i := range 64 {
		progress := at(14000+int64(i), "02:11:05")
		l := failure.Lane{Log: 0, Rank: rank(i), Host: fmt.Sprintf("gpu-node-%d", 16+i/8), First: at(int64(i+1), "00:30:00"), Last: at(14400+int64(i), "02:11:25"), LastProgress: &progress, Step: 4200}
		if i == 12 {
			l.Last = at(14203, "02:11:10")
			l.Marks = []failure.Mark{{Moment: at(14201, "02:11:10"), Kind: "cuda_ecc_seen", Role: failure.RoleFallout}}
		} else {
			l.Marks = []failure.Mark{{Moment: at(14215+int64(i), fmt.Sprintf("02:11:%02d", 12+i%9)), Kind: "peer_lost", Role: failure.RoleFallout}}
		}
		in.Lanes = append(in.Lanes, l)
	}
	return in
}

// userException is one process that dies of its own code; its log has no stamps.
func userException() *failure.Incident {
	root := schedmate.Quote{File: "run.log", Line: 1207, Byte: 90211, Text: "RuntimeError: mat1 and mat2 shapes cannot be multiplied (32x768 and 1024x10)", Why: "the last exception, raised in train.py"}
	return &failure.Incident{
		Kind: shape, Frame: "train.py:88, load_batch", Lines: 1207, Bytes: 90_300, Logs: []failure.ReadLog{{Name: "run.log", Bytes: 90_300, Lines: 1207}},
		Diagnosis: schedmate.Diagnosis{
			Determined: true, Class: schedmate.UserFailure, Subclass: "shape_mismatch", Component: schedmate.ComponentUserCode, Root: &root, Evidence: []schedmate.Quote{root},
			Confidence: 0.8, ErrorLines: 1, ExplainedErrors: 1, NextTest: shape.Test.English,
			Alternatives: []schedmate.Alternative{{Class: schedmate.FrameworkFailure, Subclass: "compile_failed", Component: schedmate.ComponentCompiler, Why: "the innermost frame is compiled code"}},
		},
		Groups: []failure.Group{{Role: failure.RoleRoot, Kind: shape, Quote: root, Times: 1}},
		Lanes: []failure.Lane{{
			First: failure.Moment{Line: 1, Sequence: 1}, Last: failure.Moment{Line: 1207, Sequence: 1207}, LastProgress: &failure.Moment{Line: 1180, Sequence: 1180}, Step: 31,
			Marks: []failure.Mark{{Moment: failure.Moment{Line: 1207, Sequence: 1207}, Kind: "shape_mismatch", Role: failure.RoleRoot}},
		}},
	}
}

// silence is a log that ends without a word.
func silence() *failure.Incident {
	return &failure.Incident{
		Lines: 812, Bytes: 40_123, Logs: []failure.ReadLog{{Name: "slurm-771.out", Bytes: 40_123, Lines: 812}},
		Diagnosis: schedmate.Diagnosis{Component: schedmate.ComponentNone, ErrorLines: 0},
		Groups:    []failure.Group{{Role: failure.RoleRecovered, Kind: retry, Quote: schedmate.Quote{File: "slurm-771.out", Line: 40, Text: "WARNING retrying after ReadTimeout (1/5)"}, Times: 1}},
		Lanes: []failure.Lane{{
			First: at(1, "10:00:00"), Last: at(812, "11:52:40"), LastProgress: ptr(at(811, "11:52:40")), Step: 655,
			Marks: []failure.Mark{{Moment: at(40, "10:02:11"), Kind: "object_store_error", Role: failure.RoleRecovered}},
		}},
	}
}

func ptr[T any](v T) *T { return &v }

// success is a run that ended well after some retries.
func success() *failure.Incident {
	in := &failure.Incident{
		Lines: 50_000, Bytes: 6_000_000, Logs: []failure.ReadLog{{Name: "train.log", Bytes: 6_000_000, Lines: 50_000}},
		Diagnosis: schedmate.Diagnosis{Determined: true, Component: schedmate.ComponentNone},
		Groups: []failure.Group{
			{Role: failure.RoleRecovered, Kind: retry, Quote: schedmate.Quote{File: "train.log", Line: 6001, Text: "botocore: ReadTimeoutError, retry 1 of 5"}, Times: 3},
			{Role: failure.RoleRecovered, Kind: peerLost, Quote: schedmate.Quote{File: "train.log", Line: 21000, Text: "[rank1] NCCL WARN socket closed, reconnecting"}, Times: 1},
		},
	}
	for i := range 2 {
		progress := at(49000+int64(i), "09:58:00")
		in.Lanes = append(in.Lanes, failure.Lane{Rank: rank(i), First: at(int64(i+1), "01:00:00"), Last: at(50_000, "10:00:00"), LastProgress: &progress, Step: 10_000})
	}
	in.Lanes[0].Marks = []failure.Mark{{Moment: at(6001, "02:10:00"), Kind: "object_store_error", Role: failure.RoleRecovered}}
	in.Lanes[1].Marks = []failure.Mark{{Moment: at(21000, "04:40:00"), Kind: "peer_lost", Role: failure.RoleRecovered}}
	return in
}

// twoRoots is a run whose disk was full, and whose code would not have survived
// either.
func twoRoots() *failure.Incident {
	root := schedmate.Quote{File: "rank0.log", Line: 400, Byte: 31_000, Text: "2026-11-30 05:00:02 OSError: [Errno 28] No space left on device: '/scratch/run7/ckpt/step_900.tmp'"}
	other := schedmate.Quote{File: "rank1.log", Line: 371, Byte: 30_010, Text: "2026-11-30 05:00:44 ValueError: expected 4 channels, got 3"}
	kind := *shape
	kind.Name, kind.Title = "dataset_parse", failure.Text{English: "A sample of the data set cannot be read", Chinese: "数据集样本无法解析"}
	return &failure.Incident{
		Kind: diskFull, Kinds: map[string]*failure.Kind{"dataset_parse": &kind}, Lines: 771, Bytes: 62_000, Logs: []failure.ReadLog{{Name: "rank0.log", Bytes: 32_000, Lines: 400}, {Name: "rank1.log", Bytes: 30_000, Lines: 371}},
		Diagnosis: schedmate.Diagnosis{
			Determined: true, Class: schedmate.InfrastructureFailure, Subclass: "disk_full", Component: schedmate.ComponentStorage, Rank: rank(0), Root: &root, Evidence: []schedmate.Quote{root},
			Confidence: 0.87, ErrorLines: 4, ExplainedErrors: 3, NextTest: diskFull.Test.English,
			Also:           []schedmate.Finding{{File: "rank1.log", Line: 371, Class: schedmate.UserFailure, Subclass: "dataset_parse", Component: schedmate.ComponentData, Text: other.Text}},
			LastCheckpoint: &schedmate.Reading{Value: 800, Line: 350, Method: "message", Confidence: 1},
		},
		Groups: []failure.Group{{Role: failure.RoleRoot, Kind: diskFull, Quote: root, Times: 3}, {Role: failure.RoleAlso, Kind: &kind, Quote: other, Times: 1}},
		Lanes: []failure.Lane{
			{Log: 0, Rank: rank(0), First: at(1, "04:50:00"), Last: at(400, "05:00:02"), Marks: []failure.Mark{{Moment: at(400, "05:00:02"), Kind: "disk_full", Role: failure.RoleRoot}}},
			{Log: 1, Rank: rank(1), First: at(1, "04:50:00"), Last: at(371, "05:00:44"), Marks: []failure.Mark{{Moment: at(371, "05:00:44"), Kind: "dataset_parse", Role: failure.RoleAlso}}},
		},
	}
}

// heldBack is a network error of one node with one sign only.
func heldBack() *failure.Incident {
	root := schedmate.Quote{File: "train.log", Line: 5120, Byte: 501_002, Text: "gpu-node-4:2211:2290 [3] NCCL WARN NET/IB : Got completion from peer 10.0.0.9 with error 12, opcode 0, len 0, vendor err 129"}
	return &failure.Incident{
		Kind: nccl, Lines: 5300, Bytes: 510_000, Logs: []failure.ReadLog{{Name: "train.log", Bytes: 510_000, Lines: 5300}}, Dropped: 2,
		Diagnosis: schedmate.Diagnosis{
			Determined: true, Class: schedmate.InfrastructureFailure, Subclass: "net_ib", Component: schedmate.ComponentNetwork, Node: "gpu-node-4", Rank: rank(3), Root: &root, Evidence: []schedmate.Quote{root},
			RestartHelps: true, HeldBack: "one sign is not enough: a second, independent one is needed", Confidence: 0.85, ErrorLines: 9, ExplainedErrors: 9, NextTest: nccl.Test.English,
		},
		Groups: []failure.Group{{Role: failure.RoleRoot, Kind: nccl, Quote: root, Times: 2, Effects: []failure.Effect{{Kind: peerLost, First: root, Lines: 7, Ranks: 7, Why: "its peer was gone"}}}},
		Lanes: []failure.Lane{{Rank: rank(3), First: failure.Moment{Line: 1, Sequence: 1}, Last: failure.Moment{Line: 5300, Sequence: 5300},
			Marks: []failure.Mark{{Moment: failure.Moment{Line: 5120, Sequence: 5120}, Kind: "net_ib", Role: failure.RoleRoot}}}},
	}
}

// incidents are all of them.
func incidents() map[string]*failure.Incident {
	return map[string]*failure.Incident{
		"ecc-cascade": eccCascade(), "user-exception": userException(), "silence": silence(),
		"success": success(), "two-roots": twoRoots(), "held-back": heldBack(),
	}
}
