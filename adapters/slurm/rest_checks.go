package slurm

import (
	"context"
	"fmt"
	"net"
	"net/url"

	"schedmate"
)

// Checks looks at what can be known by the service, and at how its token travels. It
// returns the cluster as well, nil if it cannot be read.
func (r *REST) Checks(ctx context.Context) ([]Check, *schedmate.Observation) {
	o, err := r.Observe(ctx)
	if err != nil {
		return []Check{{"slurmrestd", Failed, err.Error()}}, nil
	}
	checks := []Check{
		{"slurmrestd", Fine, fmt.Sprintf("v0.0.%d at %s; version %s, cluster %s", r.version, r.service.Address, o.System.Version, o.System.Cluster)},
		r.checkToken(),
		checkQueue(o, "slurmrestd"), checkGPUs(o, ""),
	}
	return append(checks, checkAnswers(o)...), o
}

// checkToken looks at whether others can read the token on its way.
func (r *REST) checkToken() Check {
	if r.service.TokenFile == "" && r.service.TokenEnv == "" {
		return Check{"token", Fine, "none is sent"}
	}
	if u, err := url.Parse(r.base); err == nil && u.Scheme == "http" {
		host := u.Hostname()
		if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			return Check{"token", Missing, "it goes to " + host + " without encryption, for everybody on the way to read: use https, or a unix socket"}
		}
	}
	return Check{"token", Fine, "it stays on this machine or is encrypted"}
}
