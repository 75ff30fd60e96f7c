package slurm

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"schedmate"
)

// restd answers as slurmrestd of the lab did, on one version of the interface, and
// notes what it was asked.
type restd struct {
	version string
	files   map[string]string // by what is asked for
	asked   []string
	answer  func(http.ResponseWriter, *http.Request) bool // instead, if it says so
}

func (s *restd) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.asked = append(s.asked, r.Method+" "+r.URL.Path)
	if r.Header.Get("X-SLURM-USER-TOKEN") != "s3cret" || r.Header.Get("X-SLURM-USER-NAME") != "root" {
		w.WriteHeader(http.StatusInternalServerError) // as 22.05 does
		fmt.Fprint(w, `{"errors":[{"error":"Authentication failure"}]}`)
		return
	}
	if s.answer != nil && s.answer(w, r) {
		return
	}
	what, ok := strings.CutPrefix(r.URL.Path, "/slurm/"+s.version+"/")
	if !ok {
		http.Error(w, "Unable find requested URL.", http.StatusNotFound)
		return
	}
	if what == "ping" {
		fmt.Fprint(w, `{"meta":{},"errors":[],"pings":[{"hostname":"c1","ping":"UP"}]}`)
		return
	}
	if s.files[what] == "" {
		http.NotFound(w, r)
		return
	}
	http.ServeFile(w, r, filepath.Join("testdata", s.files[what]))
}

func labRestd() *restd {
	return &restd{version: "v0.0.38", files: map[string]string{
		"jobs": "lab-22.05/squeue.json", "nodes": "lab-22.05/nodes.json", "partitions": "lab-22.05/partitions.json",
		"reservations": "lab-22.05/reservations.json", "licenses": "lab-22.05/licenses.json",
	}}
}

func ask(t *testing.T, s *restd, change func(*Service)) (*REST, *schedmate.Observation, error) {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	t.Setenv("TEST_SLURM_JWT", "SLURM_JWT=s3cret\n")
	service := Service{Address: server.URL, User: "root", TokenEnv: "TEST_SLURM_JWT"}
	if change != nil {
		change(&service)
	}
	r, err := NewREST(service)
	if err != nil {
		t.Fatal(err)
	}
	r.clock = labNow
	o, err := r.Observe(t.Context())
	return r, o, err
}

func TestRESTTellsTheSameAsCommands(t *testing.T) {
	s := labRestd()
	r, o, err := ask(t, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, _ := fakes(t, good())
	byCommands, err := reader(c).Observe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range byCommands.Partitions {
		byCommands.Partitions[i].Restrictions = []string{notToldByREST}
	}
	if diff := cmp.Diff(byCommands, o); diff != "" {
		t.Errorf("REST (+) tells otherwise than commands (-):\n%s", diff)
	}
	// 45 to 39 are not there, 38 is; then the parts. The next time only these.
	if r.version != 38 || len(s.asked) != 8+5 {
		t.Errorf("v0.0.%d after %q", r.version, s.asked)
	}
	if _, err := r.Observe(t.Context()); err != nil || len(s.asked) != 8+5+5 || r.Calls() != 18 {
		t.Errorf("%v, %d requests", err, len(s.asked))
	}
	for _, line := range s.asked {
		if !strings.HasPrefix(line, "GET ") {
			t.Errorf("sent %s", line)
		}
	}
}

func TestPartitionsInEachForm(t *testing.T) {
	want := []schedmate.Partition{{Name: "batch", State: "UP", Default: true, Nodes: []string{"n1", "n2"}, DefaultTime: 3600, Tier: 1, Restrictions: []string{notToldByREST}}}
	for version, folder := range map[string]string{"v0.0.42": "24.11", "v0.0.45": "26.05"} {
		_, o, err := ask(t, &restd{version: version, files: map[string]string{
			"jobs": folder + "/squeue.json", "nodes": folder + "/nodes.json", "partitions": folder + "/partitions.json",
		}}, nil)
		if err != nil {
			t.Fatal(version, err)
		}
		if want[0].Default = version == "v0.0.45"; want[0].Default { // v0.0.42 does not tell it
			want[0].Restrictions = nil
		} else {
			want[0].Restrictions = []string{notToldByREST}
		}
		if diff := cmp.Diff(want, o.Partitions); diff != "" {
			t.Errorf("%s:\n%s", version, diff)
		}
		if gaps := gapsOf(o); !slices.Contains(gaps, "reservations") || slices.Contains(gaps, "which partition is the default") != (version == "v0.0.42") {
			t.Errorf("%s: gaps %q", version, gaps)
		}
	}
}

// What a partition demands is the same by both ways, from the version on that tells it.
// The sample is of a Slurm 26.05 whose partitions were given demands of each kind.
func TestDemandsOfPartitions(t *testing.T) {
	byCommands, _, err := readPartitions(sample(t, "26.05/restrictions.txt"))
	if err != nil {
		t.Fatal(err)
	}
	_, o, err := ask(t, &restd{version: "v0.0.45", files: map[string]string{
		"jobs": "26.05/squeue.json", "nodes": "26.05/nodes.json", "partitions": "26.05/restrictions.json",
	}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	demands := func(list []schedmate.Partition) map[string][]string {
		all := map[string][]string{}
		for _, p := range list {
			all[p.Name] = p.Restrictions
		}
		return all
	}
	want := map[string][]string{
		"batch": nil, "urgent": nil, "open": nil, "tight": nil, // hidden, least-loaded, no root: nothing that keeps a job out
		"picky":   {"AllocNodes=n2", "DenyAccounts=foo", "DenyQos=normal", "MaxCPUsPerNode=8", "MaxMemPerNode=1000", "ReqResv=YES", "RootOnly=YES"},
		"cancel":  {"Exclusive=USER", "MaxCPUsPerSocket=4", "MaxMemPerCPU=500", "PreemptMode=CANCEL"},
		"quality": {"Exclusive=TOPO", "QoS=normal"},
	}
	if diff := cmp.Diff(want, demands(byCommands)); diff != "" {
		t.Errorf("by commands (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(byCommands, o.Partitions); diff != "" {
		t.Errorf("REST (+) tells otherwise than commands (-):\n%s", diff)
	}
}

func TestUnixSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.sock")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Skip("skipped: no unix sockets here: " + err.Error())
	}
	server := &http.Server{Handler: labRestd()}
	go server.Serve(listener)
	t.Cleanup(func() { server.Close() })
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("s3cret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := NewREST(Service{Address: "unix:" + path, User: "root", TokenFile: token})
	if err != nil {
		t.Fatal(err)
	}
	if o, err := r.Observe(t.Context()); err != nil || len(o.Jobs) != 35 {
		t.Error(err)
	}
}

// Whatever goes wrong, the token is in no error, and goes nowhere else.
func TestWhatRESTCanDoWrong(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("the redirect was followed: %v", r.Header) }))
	t.Cleanup(elsewhere.Close)
	for _, c := range []struct {
		name, says string
		change     func(*Service)
		answer     func(http.ResponseWriter, *http.Request) bool
		denied     bool
	}{
		{name: "wrong token", says: "Authentication failure", denied: true, change: func(s *Service) { s.TokenEnv = ""; s.TokenFile = os.DevNull + "x" }},
		{name: "another user", says: "Authentication failure", denied: true, change: func(s *Service) { s.User = "nobody" }},
		{name: "no such variable", says: "$NO_SUCH_TOKEN is empty", change: func(s *Service) { s.TokenEnv = "NO_SUCH_TOKEN" }},
		{name: "nothing listens", says: "connection refused", change: func(s *Service) { s.Address = "http://127.0.0.1:1" }},
		{name: "redirect", says: "302", answer: func(w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, elsewhere.URL, http.StatusFound)
			return true
		}},
		{name: "another server", says: "invalid character", answer: func(w http.ResponseWriter, _ *http.Request) bool { fmt.Fprint(w, "<html>"); return true }},
		{name: "other JSON", says: "no answer of slurmrestd", answer: func(w http.ResponseWriter, _ *http.Request) bool { fmt.Fprint(w, "{}"); return true }},
		{name: "not found", says: "none of the interfaces", answer: func(w http.ResponseWriter, _ *http.Request) bool { w.WriteHeader(404); return true }},
		{name: "slurmctld is down", says: "Unable to contact slurm controller", answer: func(w http.ResponseWriter, r *http.Request) bool {
			if !strings.HasSuffix(r.URL.Path, "jobs") {
				return false
			}
			w.WriteHeader(500)
			fmt.Fprint(w, `{"errors":[{"description":"Unable to contact slurm controller (connect failure)"}]}`)
			return true
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := labRestd()
			s.answer = c.answer
			change := c.change
			if c.name == "wrong token" {
				file := filepath.Join(t.TempDir(), "token")
				if err := os.WriteFile(file, []byte("0ther-s3cret"), 0o600); err != nil {
					t.Fatal(err)
				}
				change = func(s *Service) { s.TokenEnv, s.TokenFile = "", file }
			}
			_, _, err := ask(t, s, change)
			if err == nil || !strings.Contains(err.Error(), c.says) || errors.Is(err, os.ErrPermission) != c.denied {
				t.Fatalf("must say %q, got %v", c.says, err)
			}
			if strings.Contains(err.Error(), "s3cret") {
				t.Errorf("the token is told: %v", err)
			}
		})
	}
}

func TestAddressesThatAreRefused(t *testing.T) {
	for _, address := range []string{"", "c1:6820", "ftp://c1", "http://", "http://root:s3cret@c1", "https://c1?token=s3cret"} {
		if _, err := NewREST(Service{Address: address}); err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%q: got %v", address, err)
		}
	}
	if _, err := NewREST(Service{Address: "http://c1", TokenFile: "a", TokenEnv: "b"}); err == nil {
		t.Error("a token that is named twice must be refused")
	}
}

// A busy Slurm is asked three times, after 2 and 6 seconds, and then left alone.
func TestBackOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, at := time.Now(), []time.Duration(nil)
		err := patiently(t.Context(), func() error {
			at = append(at, time.Since(began))
			return &UnreachableError{Command: "squeue", Text: "Socket timed out", Busy: true}
		})
		if want := []time.Duration{0, 2 * time.Second, 8 * time.Second}; !slices.Equal(at, want) || err == nil {
			t.Errorf("asked at %v, got %v", at, err)
		}
	})
}

// What is down is not asked again.
func TestNoBackOffWhereSlurmIsDown(t *testing.T) {
	asked := 0
	err := patiently(t.Context(), func() error {
		asked++
		return complained("squeue", "slurm_load_jobs error: Unable to contact slurm controller", errors.New("exit status 1"))
	})
	if asked != 1 || err == nil {
		t.Errorf("asked %d times, %v", asked, err)
	}
	asked = 0
	synctest.Test(t, func(t *testing.T) {
		_ = patiently(t.Context(), func() error {
			asked++
			return complained("squeue", "slurm_load_jobs error: Socket timed out on send/recv operation", errors.New("exit status 1"))
		})
	})
	if asked != 3 {
		t.Errorf("a busy one was asked %d times", asked)
	}
}
