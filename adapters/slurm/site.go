package slurm

import (
	"cmp"
	"errors"
	"io"
	"slices"
	"strings"

	"schedmate"
)

// readPartitions reads the output of scontrol -o show partition.
func readPartitions(from io.Reader) ([]schedmate.Partition, []schedmate.Gap, error) {
	return readNamed(from, "PartitionName", "scontrol -o show partition", func(p schedmate.Partition) string { return p.Name }, func(f *fields) schedmate.Partition {
		return schedmate.Partition{
			Name: f.name("PartitionName"), State: cmp.Or(strings.ToUpper(f.pairs["State"]), "UNKNOWN"), Default: f.pairs["Default"] == "YES",
			Nodes: f.hosts("Nodes"), MaxTime: f.duration("MaxTime"), DefaultTime: f.duration("DefaultTime"),
			MaxNodes: f.count("MaxNodes"), MinNodes: f.count("MinNodes"), Tier: f.count("PriorityTier"),
			AllowGroups: f.list("AllowGroups"), AllowAccounts: f.list("AllowAccounts"), AllowQOS: f.list("AllowQos"),
			Restrictions: restrictions(f.pairs),
		}
	})
}

// unrestricted are the values that demand nothing, of what a partition may demand
// beyond what is read of it.
var unrestricted = []struct{ key, free string }{
	{"AllocNodes", "ALL"}, {"DenyAccounts", ""}, {"DenyQos", ""}, {"Exclusive", "NO"}, {"ExclusiveUser", "NO"}, {"ExclusiveTopo", "NO"}, {"MaxCPUsPerNode", "UNLIMITED"},
	{"MaxCPUsPerSocket", "UNLIMITED"}, {"MaxMemPerCPU", "UNLIMITED"}, {"MaxMemPerNode", "UNLIMITED"}, {"QoS", ""}, {"ReqResv", "NO"}, {"RootOnly", "NO"},
}

func restrictions(p pairs) []string {
	var out []string
	for _, u := range unrestricted {
		if value, told := p[u.key]; told && value != "" && value != u.free {
			out = append(out, u.key+"="+value)
		}
	}
	if p["PreemptMode"] == "CANCEL" {
		out = append(out, "PreemptMode=CANCEL")
	}
	return out
}

// readReservations reads the output of scontrol -o show reservation.
func readReservations(from io.Reader) ([]schedmate.Reservation, []schedmate.Gap, error) {
	return readNamed(from, "ReservationName", "scontrol -o show reservation", func(r schedmate.Reservation) string { return r.Name }, func(f *fields) schedmate.Reservation {
		r := schedmate.Reservation{
			Name: f.name("ReservationName"), Start: f.at("StartTime").seconds(), End: f.at("EndTime").seconds(), Nodes: f.hosts("Nodes"),
			Users: f.list("Users"), Accounts: f.list("Accounts"), Flags: f.list("Flags"), State: f.pairs["State"],
		}
		if r.End != 0 && r.End < r.Start {
			f.fail("EndTime", errors.New("lies before its start"))
		}
		return r
	})
}

// readLicences reads the output of scontrol -o show license.
func readLicences(from io.Reader) ([]schedmate.Licence, []schedmate.Gap, error) {
	return readNamed(from, "LicenseName", "scontrol -o show license", func(l schedmate.Licence) string { return l.Name }, func(f *fields) schedmate.Licence {
		return schedmate.Licence{Name: f.name("LicenseName"), Total: f.count("Total"), Used: f.count("Used"), Reserved: f.count("Reserved")}
	})
}

// readNamed reads records that have a name, in its order. One that cannot be read
// is a gap.
func readNamed[T any](from io.Reader, key, command string, name func(T) string, read func(*fields) T) ([]T, []schedmate.Gap, error) {
	var out []T
	var gaps []schedmate.Gap
	err := readPairs(from, key, func(p pairs) error {
		f := &fields{pairs: p, what: key + "=" + p[key]}
		one := read(f)
		if f.err != nil {
			gaps = append(gaps, unreadable(f.err, command))
			return nil
		}
		out = append(out, one)
		return nil
	})
	slices.SortStableFunc(out, func(a, b T) int { return cmp.Compare(name(a), name(b)) })
	return slices.CompactFunc(out, func(a, b T) bool { return name(a) == name(b) }), gaps, err
}

func (f *fields) duration(key string) schedmate.Seconds {
	d, err := duration(f.pairs[key])
	if err != nil {
		f.fail(key, err)
	}
	return d
}
