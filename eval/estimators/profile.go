package estimators

import (
	"fmt"
	"math"
	"strconv"

	"schedmate/scheduler/estimate"
)

// profile is one job on one kind of GPU with one batch on each: its three
// samples, and the placements to predict.
type profile struct {
	table, app, gpu, batch string

	samples estimate.Samples
	rows    []measured
}

// measured is a placement with its time, seconds an iteration.
type measured struct {
	placement estimate.Placement
	seconds   float64
}

// Names of tables, as in the data folder.
const (
	siaTable           = "sia/placements"
	titanTable         = "titan/fm_placements"
	chronusStatsTable  = "chronus/iteration_time_stats"
	chronusSpeedsTable = "chronus/placement_speed"
)

// SpeedTables are the tables that Speed reads, in the order of its answer.
var SpeedTables = []string{siaTable, titanTable, chronusStatsTable, chronusSpeedsTable}

// readProfiles reads all tables; jobs in the order of their first row.
func readProfiles(open Open) ([]*profile, error) {
	var all []*profile
	for _, read := range []func(Open) ([]*profile, error){
		func(o Open) ([]*profile, error) { return readPlacements(o, siaTable, "app") },
		func(o Open) ([]*profile, error) { return readPlacements(o, titanTable, "model") },
		readChronusStats, readChronusSpeeds,
	} {
		ps, err := read(open)
		if err != nil {
			return nil, err
		}
		all = append(all, ps...)
	}
	return all, nil
}

// grouped hands out the profile of a key, a new one the first time.
type grouped struct {
	order []*profile
	byKey map[[3]string]*profile
}

func (g *grouped) of(table, app, gpu, batch string) *profile {
	key := [3]string{app, gpu, batch}
	p := g.byKey[key]
	if p == nil {
		p = &profile{table: table, app: app, gpu: gpu, batch: batch}
		if g.byKey == nil {
			g.byKey = map[[3]string]*profile{}
		}
		g.byKey[key] = p
		g.order = append(g.order, p)
	}
	return p
}

// readPlacements reads the tables of Sia and Titan: a digit a node.
func readPlacements(open Open, name, app string) ([]*profile, error) {
	var g grouped
	columns := []string{"placement", "local_bsz", "step_time", app, "gpu_type"}
	err := table(open, name+".csv.gz", columns, func(_ int, c []string) error {
		placement, err := estimate.ParsePlacement(c[0])
		if err != nil {
			return err
		}
		seconds, err := positive("step_time", c[2])
		if err != nil {
			return err
		}
		p := g.of(name, c[3], c[4], c[1])
		switch c[0] {
		case "1":
			p.samples.Alone = &seconds
		case "2":
			p.samples.Together = &seconds
		case "11":
			p.samples.Apart = &seconds
		default:
			p.rows = append(p.rows, measured{placement, seconds})
		}
		return nil
	})
	return g.order, err
}

// readChronusStats reads CHRONUS's own times. They name a count of GPUs and no
// nodes, so more than four GPUs, a node of its cluster, are left out: where they
// were is not known. Apart was not measured.
func readChronusStats(open Open) ([]*profile, error) {
	var g grouped
	columns := []string{"set", "model", "num_gpu", "mean_s_after5"}
	err := table(open, chronusStatsTable+".csv.gz", columns, func(_ int, c []string) error {
		n, err := strconv.Atoi(c[2])
		if err != nil || n < 1 {
			return fmt.Errorf("num_gpu: must be a positive whole number, got %q", c[2])
		}
		seconds, err := positive("mean_s_after5", c[3])
		if err != nil {
			return err
		}
		p := g.of(chronusStatsTable, c[1], c[0], "")
		switch {
		case n == 1:
			p.samples.Alone = &seconds
		case n == 2:
			p.samples.Together = &seconds
		case n <= 4:
			p.rows = append(p.rows, measured{estimate.Placement{n}, seconds})
		}
		return nil
	})
	return g.order, err
}

// readChronusSpeeds reads how much slower a job is on more nodes than on one. The
// table has no times, and no single GPU: an iteration on one node counts as 1,
// and exchange inside a node as nothing. That is an assumption of this
// comparison, not of the estimator. GPUs lie evenly on the nodes as far as that
// goes.
func readChronusSpeeds(open Open) ([]*profile, error) {
	var g grouped
	columns := []string{"model", "num_gpu", "num_nodes", "relative_speed"}
	err := table(open, chronusSpeedsTable+".csv.gz", columns, func(_ int, c []string) error {
		gpus, err := strconv.Atoi(c[1])
		if err != nil || gpus < 1 {
			return fmt.Errorf("num_gpu: must be a positive whole number, got %q", c[1])
		}
		nodes, err := strconv.Atoi(c[2])
		if err != nil || nodes < 1 || nodes > gpus {
			return fmt.Errorf("num_nodes: must lie in 1 to the %d GPUs, got %q", gpus, c[2])
		}
		speed, err := positive("relative_speed", c[3])
		if err != nil {
			return err
		}
		p := g.of(chronusSpeedsTable, c[0], "", "")
		one, seconds := 1.0, 1/speed
		p.samples.Alone, p.samples.Together = &one, &one
		switch {
		case nodes == 1:
		case gpus == 2:
			p.samples.Apart = &seconds
		default:
			placement := make(estimate.Placement, nodes)
			for i := range gpus {
				placement[i%nodes]++
			}
			p.rows = append(p.rows, measured{placement, seconds})
		}
		return nil
	})
	return g.order, err
}

// missOf is the relative error of a prediction.
func missOf(predicted, truth float64) float64 { return math.Abs(predicted/truth - 1) }
