// Package lucid orders jobs by their estimated GPU time, measures small ones on
// nodes of their own first, and lets light ones share GPUs (Lucid, ASPLOS'23).
//
//	order    = estimated run time * GPUs, least first
//	profiler = a few nodes; jobs with the fewest GPUs first, for a fixed time
//	mate     = the first running job with as many GPUs, room for memory, and
//	           share scores that add up to at most 2; the newcomer's GPU time at
//	           most twice its own
//
// A job that fits nowhere is passed over. Packing can be switched off while few
// jobs come; then such a job blocks those behind it.
//
// The default packs only where no GPUs are free, believes nothing that only a
// profile can know before there was one, pays for profiles as for everything
// else, and takes pairs apart that turn out to be slow.
//
// Preset paper: packing before free GPUs, switched by a forecast of arrivals,
// nothing taken back, profiles cost no restart.
//
// Preset lucid: the artifact (policy/lucid.py and profiler/lgf.py), with its
// settings for Philly. Its profiler costs nothing, its scores are known of all
// jobs, packing is always on, and who was packed onto another is joined by nobody.
package lucid
