package launch

import (
	"fmt"
	"strings"

	"schedmate/advisor/origin"
)

// world is the set of processes that a launcher starts a program in.
type world struct {
	set     bool
	nodes   Count
	perNode Count
	procs   Count
	devices Count           // on a node, that the launcher lets the program see
	env     map[string]Word // what the launchers set
}

func one(rule string) Count {
	return Count{N: 1, Known: true, Origin: origin.Named(origin.Rule, rule)}
}

func (w world) counts() (nodes, perNode, procs Count) {
	if !w.set {
		return one("no launcher: one node"), one("no launcher: one process"), one("no launcher: one process")
	}
	return w.nodes, w.perNode, w.procs
}

// below is this shell below one more launcher.
func (s *shell) below(l Launcher) *shell {
	c := s.fork()
	c.under = append(c.under[:len(c.under):len(c.under)], l)
	env := map[string]Word{}
	for k, v := range s.world.env {
		env[k] = v
	}
	c.world.env = env
	if l.Settings == nil {
		c.under[len(c.under)-1].Settings = map[string]Word{}
	}
	return c
}

func times(formula string, a, b Count) Count {
	if !a.Known || !b.Known {
		return Count{}
	}
	n := a.N * b.N
	if a.N > 1<<20 || b.N > 1<<20 {
		return Count{}
	}
	return Count{n, true, origin.Computed(fmt.Sprintf("%s = %d*%d", formula, a.N, b.N), a.Origin, b.Origin)}
}

func over(formula string, a, b Count) Count {
	if !a.Known || !b.Known || b.N == 0 {
		return Count{}
	}
	return Count{(a.N + b.N - 1) / b.N, true, origin.Computed(fmt.Sprintf("%s = %d/%d", formula, a.N, b.N), a.Origin, b.Origin)}
}

// spread starts per processes on each node.
func (s *shell) spread(nodes, per Count) {
	if !nodes.Known && nodes.Origin == nil {
		nodes = one("launcher's default: one node")
	}
	s.world.set = true
	s.world.nodes, s.world.perNode = nodes, per
	s.world.procs = times("processes", nodes, per)
	s.check()
	s.torchEnv()
}

// total starts so many processes in all, on that many nodes.
func (s *shell) total(procs, nodes Count) {
	if !nodes.Known && nodes.Origin == nil {
		nodes = one("launcher's default: one node")
	}
	s.world.set = true
	s.world.nodes, s.world.procs = nodes, procs
	s.world.perNode = over("processes per node", procs, nodes)
	if nodes.Known && nodes.N == 1 {
		s.world.perNode = procs
	}
	s.check()
}

func (c Count) word() Word {
	return Word{Text: itoa(c.N), Known: c.Known, Origin: c.Origin}
}

// torchEnv sets what PyTorch's launchers set for the first process.
func (s *shell) torchEnv() {
	w := s.world
	zero := Word{Text: "0", Known: true, Origin: origin.Named(origin.Rule, "the first process is shown")}
	w.env["WORLD_SIZE"], w.env["LOCAL_WORLD_SIZE"] = w.procs.word(), w.perNode.word()
	w.env["RANK"], w.env["LOCAL_RANK"], w.env["GROUP_RANK"] = zero, zero, zero
	for _, name := range []string{"MASTER_ADDR", "MASTER_PORT"} {
		if _, ok := s.vars[name]; !ok {
			w.env[name] = Word{Text: "$" + name, Origin: origin.Named(origin.Rule, "set by the launcher")}
		}
	}
}

// visible is the number of devices on a node that a program sees.
func (s *shell) visible() Count {
	if v, ok := s.vars["CUDA_VISIBLE_DEVICES"]; ok && len(v.items) == 1 && v.exported {
		return devices(v.items[0])
	}
	if s.world.devices.Known {
		return s.world.devices
	}
	return s.m.launch.Requested.GPUsPerNode
}

// devices counts a list of devices: "0,1,2", "GPU-uuid", "".
func devices(v value) Count {
	if !v.known() {
		return Count{Origin: v.origin()}
	}
	text := strings.Trim(v.text(), " ,\"'")
	at := v.origin()
	if at == nil {
		at = origin.Named(origin.Env, "CUDA_VISIBLE_DEVICES")
	}
	switch strings.ToLower(text) {
	case "", "-1", "nodevfiles", "void", "none":
		return Count{0, true, at}
	case "all":
		return Count{Origin: at}
	}
	return Count{len(strings.Split(text, ",")), true, at}
}

// check compares what is started with what was asked for.
func (s *shell) check() {
	w, asked := s.world, s.m.launch.Requested
	if !w.perNode.Known {
		return
	}
	gpus := asked.GPUsPerNode
	if v, ok := s.vars["CUDA_VISIBLE_DEVICES"]; ok && v.exported {
		gpus = s.visible()
	}
	name := s.under[len(s.under)-1].Name
	if gpus.Known && gpus.N > 0 && name != "srun" && name != "mpirun" {
		switch {
		case w.perNode.N > gpus.N:
			s.m.warn(fmt.Sprintf("this launch will abort: %s starts %d processes on a node that has %d GPUs; ask for %d GPUs or start %d processes",
				name, w.perNode.N, gpus.N, w.perNode.N, gpus.N), w.perNode.Origin)
		case w.perNode.N < gpus.N && w.perNode.N > 0:
			s.m.warn(fmt.Sprintf("%d of %d GPUs stay idle: %s starts %d processes on a node; ask for %d GPUs or start %d processes",
				gpus.N-w.perNode.N, gpus.N, name, w.perNode.N, w.perNode.N, gpus.N), w.perNode.Origin)
		}
	}
	if asked.Nodes.Known && w.nodes.Known && name != "srun" && name != "mpirun" {
		switch {
		case w.nodes.N > asked.Nodes.N:
			s.m.warn(fmt.Sprintf("this launch will wait for ever: %s expects %d nodes and %d are asked for; make them equal", name, w.nodes.N, asked.Nodes.N), w.nodes.Origin)
		case w.nodes.N < asked.Nodes.N:
			s.m.warn(fmt.Sprintf("%d of %d nodes stay idle: %s uses %d; make them equal", asked.Nodes.N-w.nodes.N, asked.Nodes.N, name, w.nodes.N), w.nodes.Origin)
		}
	}
}
