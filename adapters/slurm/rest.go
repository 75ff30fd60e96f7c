package slurm

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"schedmate"
)

// Service says where slurmrestd is, and who asks. The token is named, not held:
// it is read for each observation, so that it may be renewed beside us.
type Service struct {
	Address   string        // http://host:6820, https://host or unix:/run/slurmrestd.sock
	User      string        // that the token is for; empty: as the token itself says
	TokenFile string        // a file with the token (JWT), or
	TokenEnv  string        // the name of an environment variable with it, such as SLURM_JWT; neither: no token
	Timeout   time.Duration // of one request; 0: DefaultTimeout
}

// REST reads a cluster by slurmrestd. It only ever sends GET, follows no redirect
// and uses no proxy, so that the token goes nowhere else. It is safe for one
// goroutine.
type REST struct {
	service Service
	base    string // of URLs
	client  *http.Client
	clock   func() time.Time
	version int // of the interface: 42 is v0.0.42; 0: not asked for yet
	calls   atomic.Int64
}

// newestInterface and oldestInterface are the versions of the interface that are
// known: of Slurm 26.05, and of 20.11.
const (
	newestInterface = 45
	oldestInterface = 36
)

// NewREST returns a reader for a service. Nothing is sent yet.
func NewREST(s Service) (*REST, error) {
	transport := &http.Transport{MaxIdleConns: 1, IdleConnTimeout: 30 * time.Second, ResponseHeaderTimeout: cmp.Or(s.Timeout, DefaultTimeout)}
	base := strings.TrimRight(s.Address, "/")
	if path, ok := strings.CutPrefix(s.Address, "unix:"); ok {
		path = "/" + strings.TrimLeft(path, "/")
		transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", path)
		}
		base = "http://localhost"
	} else if u, err := url.Parse(s.Address); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" {
		return nil, errors.New("the address of slurmrestd must be http://host:port, https://host or unix:/path, without a name, a password or a query in it")
	}
	if s.TokenFile != "" && s.TokenEnv != "" {
		return nil, errors.New("the token of slurmrestd is named twice: give a file or an environment variable")
	}
	client := &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return &REST{service: s, base: base, client: client, clock: time.Now}, nil
}

// Calls returns how many requests were sent.
func (r *REST) Calls() int64 { return r.calls.Load() }

// Observe reads the cluster by at most five requests, whatever the number of jobs;
// the first time some more find out the version of the interface.
func (r *REST) Observe(ctx context.Context) (*schedmate.Observation, error) {
	if err := patiently(ctx, func() error { return r.findVersion(ctx) }); err != nil {
		return nil, err
	}
	return observe(ctx, r, r.clock)
}

// Past tells that past jobs are not read here: the interfaces of 22.05 lose exit
// codes, and the answer is the whole history at once.
func (r *REST) Past(context.Context, schedmate.Period) ([]schedmate.ObservedJob, []schedmate.Gap, error) {
	return nil, []schedmate.Gap{{What: "past jobs", Why: "they are not read over REST", Next: "run this where the command sacct is"}}, nil
}

// findVersion asks for the newest interface that is served and known.
func (r *REST) findVersion(ctx context.Context) error {
	if r.version != 0 {
		return nil
	}
	for v := newestInterface; v >= oldestInterface; v-- {
		r.version = v
		err := r.get(ctx, "ping", func(body io.Reader) error {
			told := false
			err := eachField(body, map[string]func(*answer) error{"meta": func(a *answer) error {
				told = true
				var m json.RawMessage
				return a.Decode(&m)
			}})
			if err == nil && !told {
				return errors.New("is no answer of slurmrestd")
			}
			return err
		})
		if err == nil {
			return nil
		}
		r.version = 0
		if !errors.Is(err, errUnsupported) {
			return err
		}
	}
	return fmt.Errorf("slurmrestd at %s serves none of the interfaces v0.0.%d to v0.0.%d: %w", r.service.Address, oldestInterface, newestInterface, errUnsupported)
}

// get asks for one thing and gives the answer to read.
func (r *REST) get(ctx context.Context, what string, read func(io.Reader) error) error {
	timeout := cmp.Or(r.service.Timeout, DefaultTimeout)
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	name := "GET " + what
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("%s/slurm/v0.0.%d/%s", r.base, r.version, what), nil)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := r.sign(request); err != nil {
		return err
	}
	r.calls.Add(1)
	response, err := r.client.Do(request)
	if err != nil {
		return r.failed(ctx, name, timeout, err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return refused(name, response)
	}
	if err := read(response.Body); err != nil {
		if ctx.Err() != nil {
			return r.failed(ctx, name, timeout, err)
		}
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// sign puts the user and the token into a request.
func (r *REST) sign(request *http.Request) error {
	if r.service.User != "" {
		request.Header.Set("X-SLURM-USER-NAME", r.service.User)
	}
	var token string
	switch {
	case r.service.TokenFile != "":
		if info, err := os.Stat(r.service.TokenFile); err == nil && !info.Mode().IsRegular() {
			return fmt.Errorf("read the token of slurmrestd: %s is no regular file: name one that holds the token", r.service.TokenFile)
		}
		raw, err := os.ReadFile(r.service.TokenFile)
		if err != nil {
			return fmt.Errorf("read the token of slurmrestd: %w", err)
		}
		token = string(raw)
	case r.service.TokenEnv != "":
		token = os.Getenv(r.service.TokenEnv)
	default:
		return nil
	}
	// What 'scontrol token' prints may be saved as it is.
	token = strings.TrimPrefix(strings.TrimSpace(token), "SLURM_JWT=")
	if token == "" || strings.ContainsFunc(token, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return fmt.Errorf("the token of slurmrestd in %s is empty or no token: make one by 'scontrol token'", cmp.Or(r.service.TokenFile, "$"+r.service.TokenEnv))
	}
	request.Header.Set("X-SLURM-USER-TOKEN", token)
	return nil
}

// failed makes an error of a request that got no answer.
func (r *REST) failed(ctx context.Context, name string, timeout time.Duration, err error) error {
	var slow net.Error
	switch {
	case context.Cause(ctx) == context.DeadlineExceeded || errors.As(err, &slow) && slow.Timeout():
		return &UnreachableError{Command: name, Text: fmt.Sprintf("no answer in %s", timeout), Busy: true, Silent: true}
	case ctx.Err() != nil:
		return ctx.Err()
	}
	var inURL *url.Error
	if errors.As(err, &inURL) {
		err = inURL.Err
	}
	return &UnreachableError{Command: name, Text: err.Error(), Next: "is slurmrestd up at " + r.service.Address + "?"}
}

// refused makes an error of an answer that is none. What it says is quoted, but no
// more than a line.
func refused(name string, response *http.Response) error {
	var body struct {
		Errors []remark `json:"errors"`
	}
	raw, _ := io.ReadAll(io.LimitReader(response.Body, 64<<10)) // what could be read of it says enough
	said := fmt.Sprintf("%d %s", response.StatusCode, http.StatusText(response.StatusCode))
	if json.Unmarshal(raw, &body) == nil && len(body.Errors) > 0 {
		said += ": " + firstLine(body.Errors[0].String())
	}
	if token := response.Request.Header.Get("X-SLURM-USER-TOKEN"); token != "" { // some services echo what they were sent
		said = strings.ReplaceAll(said, token, "‹token›")
	}
	said = fmt.Sprintf("%.300s", said)
	switch response.StatusCode {
	case http.StatusNotFound:
		return fmt.Errorf("%s: %s: %w", name, said, errUnsupported)
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return &UnreachableError{Command: name, Text: said, Busy: true}
	}
	denied := response.StatusCode == http.StatusUnauthorized || response.StatusCode == http.StatusForbidden
	for _, word := range []string{"uthentication", "ermission denied", "ccess denied", "nvalid user"} {
		denied = denied || strings.Contains(said, word)
	}
	if denied {
		next := "is the token still valid ('scontrol token'), and for this user?"
		if response.Request.Header.Get("X-SLURM-USER-NAME") == "" {
			next += " Older versions want slurm_user beside it"
		}
		return fmt.Errorf("%s: %s: %w: %s", name, said, os.ErrPermission, next)
	}
	err := complained(name, said, errors.New("slurmrestd refused"))
	if errors.Is(err, errUnsupported) { // an interface that is not there is a 404: this is Slurm behind it
		return &UnreachableError{Command: name, Text: said, Next: "is slurmctld up, and the token still valid ('scontrol token')?"}
	}
	return err
}
