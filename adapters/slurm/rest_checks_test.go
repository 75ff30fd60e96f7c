package slurm

import (
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// What doctor says of a service: what is told, and that nobody else can read the token.
func TestChecksOfTheService(t *testing.T) {
	r, _, err := ask(t, labRestd(), nil)
	if err != nil {
		t.Fatal(err)
	}
	checks, o := r.Checks(t.Context())
	if o == nil {
		t.Fatal(checks)
	}
	var told []string
	for _, c := range checks {
		told = append(told, c.Name+" "+c.Status)
	}
	if got, want := strings.Join(told, ", "), "slurmrestd ok, token ok, queue ok, GPUs ok"; got != want {
		t.Errorf("checks %s, want %s", got, want)
	}
}

func TestTokensOnTheirWay(t *testing.T) {
	for address, want := range map[string]string{
		"http://slurm.example:6820": Missing, "http://10.0.0.7": Missing, "https://slurm.example": Fine,
		"http://127.0.0.1:6820": Fine, "http://[::1]:6820": Fine, "http://localhost": Fine, "unix:/run/slurmrestd.sock": Fine,
	} {
		r, err := NewREST(Service{Address: address, TokenEnv: "SLURM_JWT"})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.checkToken(); got.Status != want {
			t.Errorf("%s: %+v, want %s", address, got, want)
		}
	}
	if r, _ := NewREST(Service{Address: "http://slurm.example"}); r.checkToken().Status != Fine {
		t.Error("without a token nothing can be read")
	}
}

// A Slurm behind the service that cannot be asked is no version that is not served:
// 22.05 says so of a bad token, in this way.
func TestServiceWithoutItsSlurm(t *testing.T) {
	s := labRestd()
	s.answer = func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasPrefix(r.URL.Path, "/slurm/v0.0.38/") {
			return false
		}
		w.WriteHeader(http.StatusInternalServerError)
		fmt.Fprint(w, `{"errors":[{"description":"slurmctld config is unable to load","error":"Unspecified error"}]}`)
		return true
	}
	_, _, err := ask(t, s, nil)
	var unreachable *UnreachableError
	if !errors.As(err, &unreachable) || !strings.Contains(err.Error(), "scontrol token") {
		t.Errorf("got %v", err)
	}
}

// Some commands look for a missing file for a minute; nobody waits for that.
func TestConfigurationThatIsNotThere(t *testing.T) {
	c, calls := fakes(t, good())
	c.Env = []string{"SLURM_CONF=" + filepath.Join(t.TempDir(), "slurm.conf")}
	_, err := reader(c).Observe(t.Context())
	var unreachable *UnreachableError
	if !errors.As(err, &unreachable) || !strings.Contains(err.Error(), "SLURM_CONF") || c.Calls() != 0 {
		t.Errorf("%v after calls %q", err, calls())
	}
}
