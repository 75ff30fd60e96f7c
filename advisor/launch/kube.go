package launch

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"schedmate/advisor/origin"
)

// pods is one pod template of a manifest, with how many of them run.
type pods struct {
	document int    // of the manifest that they stand in
	path     string // keys on the way, for evidence and to tell launchers from workers
	count    int
	from     *origin.Origin
	gpus     int
	hasGPU   bool
	oddGPU   string // what stands there instead of a number of GPUs
	cpus     int
	command  []string
	dir      string
	env      map[string]Word
	gpuType  Word
	gpuFrom  *origin.Origin
}

// manifest is what a Kubernetes manifest asks for.
type manifest struct {
	pods       []pods
	kind, name string
	entrypoint string // of a RayJob
	deadline   int
	slots      int // processes of a worker: slotsPerWorker, nprocPerNode
	nodes      int // of the whole walk, bounded
	document   int // that is walked now
	tooLarge   bool
}

const maxManifestNodes = 20_000

// readManifest reads YAML or JSON, of one document or several.
func readManifest(data []byte) (*manifest, error) {
	m := &manifest{}
	if len(data) > maxBytes {
		return nil, fmt.Errorf("manifest: larger than %d bytes; submit the job's own manifest alone", maxBytes)
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	for range 20 {
		var doc yaml.Node
		err := dec.Decode(&doc)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("manifest: %w; correct it at that line", err)
		}
		if len(doc.Content) > 0 {
			root := doc.Content[0]
			if kind := field(root, "kind"); kind != nil && m.kind == "" {
				m.kind = kind.Value
			}
			if name := field(field(root, "metadata"), "name"); name != nil && m.name == "" {
				m.name = name.Value
			}
			m.walk(root, "", 1, nil, 0)
			m.document++
		}
	}
	if m.tooLarge {
		return nil, fmt.Errorf("manifest: more than %d values once its aliases are followed; write it without nested aliases", maxManifestNodes)
	}
	return m, nil
}

func field(n *yaml.Node, name string) *yaml.Node {
	n = plainNode(n)
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return plainNode(n.Content[i+1])
		}
	}
	return nil
}

func plainNode(n *yaml.Node) *yaml.Node {
	for hops := 0; n != nil && n.Kind == yaml.AliasNode && hops < 8; hops++ {
		n = n.Alias
	}
	return n
}

func number(n *yaml.Node) (int, bool) {
	if n = plainNode(n); n == nil {
		return 0, false
	}
	return natural(n.Value)
}

// walk looks for pod templates; replicas and parallelism on the way multiply.
func (m *manifest) walk(n *yaml.Node, path string, count int, from *origin.Origin, depth int) {
	n = plainNode(n)
	if m.nodes++; m.nodes > maxManifestNodes || depth > 60 {
		m.tooLarge = true
		return
	}
	if n == nil || m.tooLarge {
		return
	}
	if n.Kind == yaml.SequenceNode {
		for _, item := range n.Content {
			m.walk(item, path, count, from, depth+1)
		}
		return
	}
	if n.Kind != yaml.MappingNode {
		return
	}
	for _, key := range []string{"replicas", "parallelism"} {
		if k, ok := number(field(n, key)); ok && k <= 100_000 && count <= 100_000 {
			count *= k
			from = origin.Named(origin.Request, "k8s "+key)
		}
	}
	if e := field(n, "entrypoint"); e != nil && m.entrypoint == "" && e.Kind == yaml.ScalarNode {
		m.entrypoint = e.Value
	}
	for _, key := range []string{"slotsPerWorker", "nprocPerNode", "numProcPerNode"} {
		if k, ok := number(field(n, key)); ok {
			m.slots = k
		}
	}
	if k, ok := number(field(n, "numNodes")); ok && k > 0 && k <= 100_000 { // TrainJob
		count, from = k, origin.Named(origin.Request, "k8s numNodes")
	}
	if k, ok := number(field(n, "activeDeadlineSeconds")); ok {
		m.deadline = k
	}
	containers := field(n, "containers")
	if containers == nil {
		containers = field(n, "container")
	}
	if containers == nil && field(n, "resourcesPerNode") != nil { // TrainJob's trainer
		containers = n
	}
	if containers != nil {
		m.add(n, containers, path, count, from)
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if key := n.Content[i].Value; key != "status" && key != "metadata" {
			m.walk(n.Content[i+1], path+"."+key, count, from, depth+1)
		}
	}
}

// add notes a pod: of its containers the one with GPUs, else the first.
func (m *manifest) add(spec, containers *yaml.Node, path string, count int, from *origin.Origin) {
	if from == nil {
		from = origin.Named(origin.Default, "kubernetes replicas=1")
	}
	if len(m.pods) >= 1000 {
		m.tooLarge = true
		return
	}
	items := []*yaml.Node{containers}
	if containers.Kind == yaml.SequenceNode {
		items = containers.Content
	}
	p := pods{path: path, count: count, from: from, env: map[string]Word{}}
	for i, c := range items {
		if i > 50 {
			break
		}
		gpus, key, odd, has := gpuLimit(c)
		if i > 0 && (!has || p.hasGPU) {
			continue
		}
		p.gpus, p.hasGPU, p.oddGPU, p.gpuFrom = gpus, has, odd, origin.Named(origin.Request, "k8s limits "+key)
		p.command = append(texts(field(c, "command")), texts(field(c, "args"))...)
		if d := field(c, "workingDir"); d != nil {
			p.dir = d.Value
		}
		p.env = environ(field(c, "env"))
		if n, ok := number(field(field(field(c, "resources"), "requests"), "cpu")); ok {
			p.cpus = n
		}
		if n, ok := number(field(field(field(c, "resources"), "limits"), "cpu")); ok {
			p.cpus = n
		}
	}
	p.gpuType = product(spec)
	p.document = m.document
	m.pods = append(m.pods, p)
}

// mostGPUs is more than any cluster has: a larger number is a mistake.
const mostGPUs = 1_000_000

// gpuLimit is how many GPUs a container asks for and by which key. What is not
// a whole number that can be is odd: it is given as it stands.
func gpuLimit(container *yaml.Node) (n int, key, odd string, has bool) {
	for _, where := range []string{"resources", "resourcesPerNode"} {
		for _, part := range []string{"limits", "requests"} {
			limits := field(field(container, where), part)
			if limits == nil || limits.Kind != yaml.MappingNode {
				continue
			}
			for i := 0; i+1 < len(limits.Content); i += 2 {
				name := limits.Content[i].Value
				if vendor, kind, ok := strings.Cut(name, "/"); !ok || (kind != "gpu" && !strings.HasPrefix(kind, "mig-") && !(vendor == "nvidia.com" && strings.HasPrefix(kind, "gpu"))) {
					continue
				}
				if k, ok := number(limits.Content[i+1]); ok && k <= mostGPUs {
					return k, name, "", true
				}
				if v := plainNode(limits.Content[i+1]); odd == "" && v != nil {
					key, odd, has = name, strconv.Quote(clip(v.Value, 40)), true
				}
			}
		}
	}
	return 0, key, odd, has
}

// product is the kind of GPU that a pod insists on.
func product(spec *yaml.Node) Word {
	is := func(key string) bool {
		key = strings.ToLower(key)
		return (strings.Contains(key, "gpu") || strings.Contains(key, "accelerator")) &&
			(strings.Contains(key, "product") || strings.Contains(key, "type") || strings.Contains(key, "model") || strings.HasSuffix(key, "accelerator") || strings.HasSuffix(key, "accelerator-name") || strings.HasSuffix(key, "gpu"))
	}
	if sel := field(spec, "nodeSelector"); sel != nil && sel.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(sel.Content); i += 2 {
			if is(sel.Content[i].Value) {
				return Word{plainNode(sel.Content[i+1]).Value, true, origin.Named(origin.Request, "k8s nodeSelector "+sel.Content[i].Value)}
			}
		}
	}
	terms := field(field(field(field(spec, "affinity"), "nodeAffinity"), "requiredDuringSchedulingIgnoredDuringExecution"), "nodeSelectorTerms")
	if terms == nil {
		return Word{}
	}
	for _, term := range terms.Content[:min(len(terms.Content), 20)] {
		exprs := field(term, "matchExpressions")
		if exprs == nil {
			continue
		}
		for _, e := range exprs.Content[:min(len(exprs.Content), 20)] {
			key, values := field(e, "key"), texts(field(e, "values"))
			if key != nil && is(key.Value) && len(values) > 0 {
				return Word{values[0], len(values) == 1, origin.Named(origin.Request, "k8s affinity "+key.Value)}
			}
		}
	}
	return Word{}
}

func texts(n *yaml.Node) []string {
	if n == nil {
		return nil
	}
	if n.Kind == yaml.ScalarNode {
		return []string{n.Value}
	}
	var all []string
	for _, item := range n.Content[:min(len(n.Content), maxWords)] {
		if item = plainNode(item); item != nil && item.Kind == yaml.ScalarNode {
			all = append(all, item.Value)
		}
	}
	return all
}

// environ reads a container's env: a list of name and value, or a map.
func environ(n *yaml.Node) map[string]Word {
	env := map[string]Word{}
	if n == nil {
		return env
	}
	if n.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(n.Content); i += 2 {
			if v := plainNode(n.Content[i+1]); v != nil && v.Kind == yaml.ScalarNode && len(env) < 2000 {
				env[n.Content[i].Value] = Word{v.Value, true, origin.Named(origin.Request, "k8s env "+n.Content[i].Value)}
			}
		}
		return env
	}
	for _, item := range n.Content[:min(len(n.Content), 2000)] {
		name := field(item, "name")
		if name == nil {
			continue
		}
		w := Word{Text: "$" + name.Value, Origin: origin.Named(origin.Request, "k8s env "+name.Value)} // from a secret or the pod: unknown
		if v := field(item, "value"); v != nil {
			w.Text, w.Known = v.Value, true
		}
		env[name.Value] = w
	}
	return env
}

// documents counts the parts of the manifest that have containers.
func (m *manifest) documents() int {
	seen := map[int]bool{}
	for _, p := range m.pods {
		seen[p.document] = true
	}
	return len(seen)
}

// main is the pod whose command trains: the launcher or master of an operator,
// else the first that has a command, else the first with GPUs.
func (m *manifest) main() *pods {
	rank := func(p pods) int {
		switch {
		case len(p.command) == 0 && !p.hasGPU:
			return 4
		case len(p.command) == 0:
			return 3
		case strings.Contains(p.path, "Launcher") || strings.Contains(p.path, "Master") || strings.Contains(p.path, "Chief"):
			return 0
		case p.hasGPU:
			return 1
		}
		return 2
	}
	if len(m.pods) == 0 {
		return nil
	}
	best := slices.MinFunc(m.pods, func(a, b pods) int { return rank(a) - rank(b) })
	return &best
}

// ask fills in the allocation. It returns what is wrong with what is asked for.
func (m *manifest) ask(a *Allocation) (wrong []Warning) {
	if m.name != "" {
		a.JobName = Word{m.name, true, origin.Named(origin.Request, "k8s metadata.name")}
	}
	if m.deadline > 0 {
		a.TimeLimit = Count{m.deadline, true, origin.Named(origin.Request, "k8s activeDeadlineSeconds")}
	}
	nodes, gpus, per, equal, known := 0, 0, -1, true, true
	var from, limit *origin.Origin
	for _, p := range m.pods {
		if !p.hasGPU {
			continue
		}
		if p.oddGPU != "" {
			known = false
			wrong = append(wrong, Warning{"the manifest asks for " + p.oddGPU + " GPUs; give a whole number that a cluster can have", p.gpuFrom})
		}
		nodes = nodes + min(p.count, mostGPUs)
		gpus += min(p.count, mostGPUs) * p.gpus
		equal = equal && (per < 0 || per == p.gpus)
		per, limit = p.gpus, p.gpuFrom
		if from == nil || p.count > 1 {
			from = p.from
		}
		if p.gpuType.Text != "" {
			a.GPUType = p.gpuType
		}
		if p.cpus > 0 {
			a.CPUsPerTask = Count{p.cpus, true, origin.Named(origin.Request, "k8s cpu")}
		}
	}
	if len(m.pods) == 0 {
		return wrong
	}
	if nodes == 0 { // no pod asks for a GPU
		for _, p := range m.pods {
			nodes += p.count
			from = p.from
		}
		none := origin.Named(origin.Request, "k8s limits without GPUs")
		a.Nodes, a.GPUsPerNode, a.GPUs = Count{nodes, true, from}, Count{0, true, none}, Count{0, true, none}
		return wrong
	}
	a.Nodes = Count{nodes, true, from}
	if gpus > mostGPUs {
		known = false
		wrong = append(wrong, Warning{fmt.Sprintf("the manifest asks for %d GPUs; give a whole number that a cluster can have", gpus), limit})
	}
	if !known {
		a.GPUsPerNode, a.GPUs = Count{Origin: limit}, Count{Origin: limit}
		return wrong
	}
	a.GPUsPerNode = Count{per, equal, limit}
	a.GPUs = Count{gpus, true, limit}
	if nodes > 1 {
		a.GPUs.Origin = origin.Computed(fmt.Sprintf("GPUs = %d*%d", nodes, per), from, limit)
	}
	return wrong
}
