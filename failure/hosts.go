package failure

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"

	"schedmate/logs"
)

// hostFinder learns from lines which hosts there are, and which rank lives
// where. What the log does not say is not guessed.
type hostFinder struct {
	seen   map[string]int  // host: lines that name it
	wrote  map[string]bool // hosts that wrote a line, or that a launcher or scheduler says ran the job
	ofRank map[int32]string
	table  string // the host in a launcher's table, until the next one
	died   string // where a launcher's table says that a fatal signal ended a process; severalHosts for more than one
}

var (
	// Lines that begin with the host that wrote them: group 1. In the first lines of
	// a log a launcher's label may still stand before it: it takes some to know one.
	syslogHost    = regexp.MustCompile(`^(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d |\d{4}-\d\d-\d\dT[\d:.,+-]+Z? )?([A-Za-z0-9][\w.-]*) (?:kernel:|(?:systemd|slurmd|slurmstepd|slurmctld|kubelet|nv-hostengine|nhc|dockerd|containerd)(?:\[\d+\])?:)`)
	bracketHost   = regexp.MustCompile(`^(?:\s{0,5}\d{1,6}: )?\[([A-Za-z0-9][\w.-]*)(?: kernel)?\] `)
	kernelBracket = regexp.MustCompile(`^\[[A-Za-z0-9][\w.-]* kernel\] `)
	ncclHost      = regexp.MustCompile(`(?:^|[\s>:\]])([A-Za-z0-9][A-Za-z0-9._-]*[A-Za-z0-9]):\d+:\d+ \[(?:\d+|-1)?\] `)
	colonHost     = regexp.MustCompile(`^([A-Za-z0-9][\w-]*(?:\.[\w-]+)*): `)
	// A launcher's table of the processes that failed.
	tableHost = guard(`^\s+host\s+: (\S+)\s*$`)
	tableRank = guard(`^\s*rank\s*: (\d+) \(local_rank: \d+\)`)
	// SIGILL, SIGABRT, SIGBUS, SIGFPE, SIGKILL, SIGSEGV: launchers send others to tidy up.
	tableExit = guard(`^\s*exitcode\s*: -(?:[46789]|11) \(pid: \d+\)`)
	// Lines that name a host: the last group.
	namingHost = []guarded{
		guard(`(?:^|\s)(?:srun|slurmstepd)(?:-[\w.-]+)?: error: ([A-Za-z0-9][\w.-]*): task`),
		guard(`\*\*\* (?:STEP|JOB) \S+ ON ([A-Za-z0-9][\w.-]*) `),
		guard(`Successfully assigned \S+ to ([A-Za-z0-9][\w.-]*)`),
		guard(`(?i)\bprolog: job \d+ ([A-Za-z0-9][\w.-]*)`),
		guard(`\bSLURM(?:D_NODENAME|_NODELIST)=([A-Za-z0-9][\w.-]*[A-Za-z0-9])\b`),
		// The rest may be any host that the job has to do with.
		guard(`(?i)\b(?:host(?:name)?|node(?:_?name)?|node_?list|instance|machine)"?\s*[:=]\s*"?([A-Za-z0-9][\w.-]*[A-Za-z0-9])"?(?:[\s,;)}\]]|$)`),
		guard(`(?i)\b(?:on|at) (?:node|host|machine) ([A-Za-z0-9][\w.-]*[A-Za-z0-9])(?:[\s,;:)]|$)`),
		guard(`(?i)\b(?:host|node|instance|kubelet) ([A-Za-z0-9][\w.-]*[A-Za-z0-9])(?:[\s,;:)]|$)`),
	}
)

// launchers is how many of namingHost tell where the job ran.
const launchers = 5

var (
	// listed is the second of a list of hosts.
	listed = regexp.MustCompile(`(?i)\b(?:hosts|nodes|node_?list)"?\s*[:=]\s*\[?["']?[\w.-]+["']?,\s*["']?([\w.-]+)`)
	// foreign is before the name of a host that the job speaks to.
	foreign = regexp.MustCompile(`(?i)\b(?:master|rdzv|mysql|postgres|redis|db|mongo|wandb|mlflow|server|proxy|remote|endpoint|submit\w*|connect\w*|fetch\w*|download\w*|upload\w*|from|to|login|nfs|smtp)\b`)
	// noHostEnd ends the names of types, which stand before a colon as hosts do, and
	// of files.
	noHostEnd = regexp.MustCompile(`\.(?:[A-Z]\w*[a-z]\w*|pyx?|sh|so|log|cc?|cpp|cu|h|ya?ml|json|txt)$`)
	// noHost are words that say what a machine is, addresses of all, numbers that a
	// cloud gives to machines, and what runs count.
	noHost = regexp.MustCompile(`(?i)^(?:x86_64|amd64|aarch64|arm64|ppc64le|0\.0\.0\.0|(?:epoch|step|iter(?:ation)?|batch|fold|trial|seed|layer|stage|phase|version)s?[-_.]?\d.*|[a-z]{1,4}\d{1,2}[a-z]*\.(?:\d*x?large|metal.*|micro|small|medium)|i-[0-9a-f]{3,17})$`)
)

// prove takes a host for one that the job ran on.
func (h *hostFinder) prove(host string) {
	if h.wrote == nil {
		h.wrote = map[string]bool{}
	}
	if len(h.wrote) < maxStreams {
		h.wrote[host] = true
	}
}

// proven tells whether the logs show that the job ran on a host, by more than a
// word behind `host`.
func (h *hostFinder) proven(host string) bool { return h.wrote[host] || h.seen[host] >= saidOften }

// saidOften is how many lines a name begins before it is a host's and no word's.
const saidOften = 3

// deviceOfHost is behind the host where NCCL names the device.
var deviceOfHost = []byte("] ")

// signed tells whether a kernel, a service or NCCL wrote the line.
func signed(text []byte) bool {
	return syslogHost.Match(text) || ncclHost.Match(text) || kernelBracket.Match(text)
}

// tellsHost tells whether a line, in lower case, may name a host.
func tellsHost(lower []byte) bool {
	for _, w := range [][]byte{[]byte("host"), []byte("node"), []byte("kernel"), []byte("nccl"), []byte("rank "), []byte("slurm"), []byte("srun"), []byte("systemd"), []byte("kubelet"), []byte("assigned"), []byte("prolog"), []byte("instance"), []byte("machine")} {
		if bytes.Contains(lower, w) {
			return true
		}
	}
	return false
}

// read takes what a line, given in lower case, too, says of hosts.
func (h *hostFinder) read(text, lower []byte, st *stream) {
	if m := tableHost.find(text, lower); m != nil && hostLike(string(m[1])) {
		h.table = string(m[1])
		h.add(h.table)
		return
	}
	if m := tableRank.find(text, lower); m != nil && h.table != "" {
		if rank, err := strconv.ParseInt(string(m[1]), 10, 32); err == nil {
			h.place(int32(rank), h.table)
			h.prove(h.table)
		}
		return
	}
	if h.table != "" && tableExit.matches(text, lower) {
		if h.died == "" || h.died == h.table {
			h.died = h.table
		} else {
			h.died = severalHosts
		}
		h.table = ""
		return
	}
	if host := writer(text); host != "" {
		h.add(host)
		if signed(text) {
			h.prove(host)
		}
		if st.rank != logs.NoRank {
			h.place(st.rank, host)
		}
		return
	}
	if !numbered(text) {
		return
	}
	for i := range namingHost {
		if m := namingHost[i].find(text, lower); m != nil && hostLike(string(m[1])) && numbered(m[1]) {
			h.add(string(m[1]))
			st.named, st.namedAt = string(m[1]), st.last.line
			at := namingHost[i].FindIndex(text)[0]
			if i < launchers || !foreign.Match(text[:min(at+8, len(text))]) {
				h.prove(string(m[1]))
			}
			if list := listed.FindSubmatch(text); list != nil { // one of several
				h.add(string(list[1]))
			}
			return
		}
	}
}

// numbered tells whether a word has a digit, as the names of cluster nodes do:
// a word after `node` may be any.
func numbered(w []byte) bool { return bytes.ContainsAny(w, "0123456789") }

// writer is the host that wrote a line, by the line itself.
func writer(text []byte) string {
	if host := signer(text); host != "" {
		return host
	}
	return wordBefore(colonHost, text)
}

// signer is the writer of a line that a kernel, a service, NCCL or a collector of logs
// signed: the word before a colon may be a file's name.
func signer(text []byte) string {
	if m := syslogHost.FindSubmatch(text); m != nil && hostLike(string(m[1])) {
		return string(m[1])
	}
	if !bytes.Contains(text, deviceOfHost) { // most lines, and the pattern is slow
		return wordBefore(bracketHost, text)
	}
	if m := ncclHost.FindSubmatch(text); m != nil && hostLike(string(m[1])) {
		return string(m[1])
	}
	return wordBefore(bracketHost, text)
}

// wordBefore is a host at the beginning of a line, by its looks.
func wordBefore(re *regexp.Regexp, text []byte) string {
	if m := re.FindSubmatch(text); m != nil && numbered(m[1]) && hostLike(string(m[1])) && bytes.ContainsAny(m[1], ".-") {
		return string(m[1])
	}
	return ""
}

// hostLike tells whether a word can be a host: no bare number, no loopback.
func hostLike(w string) bool {
	if noHost.MatchString(w) || noHostEnd.MatchString(w) || w == "localhost" || w == "127.0.0.1" || len(w) > 255 {
		return false
	}
	for _, r := range w {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return true
		}
	}
	return strings.Count(w, ".") == 3 // an address
}

func (h *hostFinder) add(host string) {
	if h.seen == nil {
		h.seen = map[string]int{}
	}
	if _, ok := h.seen[host]; ok || len(h.seen) < maxStreams {
		h.seen[host]++
	}
}

func (h *hostFinder) place(rank int32, host string) {
	if h.ofRank == nil {
		h.ofRank = map[int32]string{}
	}
	if _, ok := h.ofRank[rank]; ok || len(h.ofRank) < maxStreams {
		h.ofRank[rank] = host
	}
}

// severalHosts is no name of a host.
const severalHosts = "*"

// ofSignal is the one host where a launcher saw signals end processes, "" when there is
// none, or several.
func (h *hostFinder) ofSignal() string {
	if h.died == severalHosts {
		return ""
	}
	return h.died
}

// only is the one host of the logs, "" when there are none or several.
func (h *hostFinder) only() string {
	if len(h.seen) == 1 {
		for host := range h.seen {
			return host
		}
	}
	return ""
}
