package failure

// inDoubt is the most that a verdict is believed which somebody who knows better speaks
// against, or whose only witness is the job. No labelled log has one, so this is no
// measured share: the two readings are as likely as each other.
const inDoubt = 0.5

// What to do where the verdict's own advice would go too far.
var (
	lookAtTheNode = Text{
		"Look at the node before it is taken out: one that is well may not be to blame. Restart the job on other nodes.",
		"移出该节点前先检查它：它可能并无问题。在其他节点上重启作业。",
	}
	askTheNode = Text{
		"Read the kernel log of the node first: only the job's own output says this. Take nothing out of service, and avoid no node, until the node says the same.",
		"先查看该节点的内核日志：目前只有作业自身的输出这样说。在节点日志证实之前，不要移出或避开任何节点。",
	}
	lookAtTheResult = Text{
		"Look whether the result is whole: the last checkpoint, the files that the job was to write. If it is, there is nothing to do; if not, begin at the quoted line.",
		"确认结果是否完整：最后的检查点以及作业应写出的文件。若完整则无需处理；若不完整，从引用的日志行查起。",
	}
)

// advised is the kind with another advice.
func (k *Kind) advised(advice Text) *Kind {
	if k == nil {
		return nil
	}
	c := *k
	c.Advice = advice
	return &c
}

// RanElsewhere takes back all that is said of the node: the scheduler knows that the job
// did not run on it.
func (in *Incident) RanElsewhere() {
	d := &in.Diagnosis
	node := d.Node
	if d.Quarantine {
		in.doubt()
	}
	d.HeldBack = "the job did not run on " + node
	d.Node, d.Rank = "", nil
}

// OwnWordOnly takes back that the node be taken out of service: only what the job itself
// wrote speaks against it.
func (in *Incident) OwnWordOnly() {
	d := &in.Diagnosis
	in.doubt()
	d.HeldBack = "only the job's own output says so: name the node's kernel log beside the job"
}

// doubt has the verdict believed less, and its advice is to ask the node.
func (in *Incident) doubt() {
	d := &in.Diagnosis
	d.Quarantine, d.Witnesses = false, nil
	d.Confidence = min(d.Confidence, inDoubt)
	in.Unwitnessed, in.Kind = true, in.Kind.advised(askTheNode)
}
