package resolve

import "schedmate/advisor/origin"

// against holds the devices that are used on a node against those that were
// asked for: it says which stay idle or are missing, and puts the request among
// the layers of the evidence.
func (v *view) against(used int, from *origin.Origin) *origin.Origin {
	asked := v.launch.Requested.GPUsPerNode
	if !asked.Known || asked.N <= 0 || asked.N == used || v.blind || used <= 0 || asked.Origin == nil {
		return from
	}
	followed := v.reached() && v.obs.Stopped == "" && len(v.obs.Aborts) == 0
	if followed && len(v.launch.Invocations) == 1 { // several programs may share them
		switch {
		case used < asked.N && used == 1 && len(v.calls("spawn", "start_processes", "init_process_group", "DistributedDataParallel", "DataParallel", "Process")) > 0:
			// it can spread, and may do so in a way that was not seen
		case used < asked.N:
			v.warn("%d of %d GPUs stay idle: the program uses %d (%s)", asked.N-used, asked.N, used, from)
		case !v.distributed(): // a launcher that starts too many is told of where it is read
			v.warn("the program asks for %d devices of %d: ask for %d GPUs or list %d devices (%s)", used, asked.N, used, asked.N, from)
		}
	}
	if from.Overrides(asked.Origin) || descends(from, asked.Origin) {
		return from
	}
	return from.Over(asked.Origin)
}
