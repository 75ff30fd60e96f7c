// Package traces reads public job traces into the simulator's jobs.
//
// A trace comes in the layout and the units of the project that published it:
// CHRONUS counts minutes, Helios writes wall-clock time, Philly has no job
// names. Each such layout is a [Format] with a file of its own that says what
// the columns mean and carries the units, so that nobody after the loader has
// to think of them: a [Trace] is in integer seconds and whole GPUs.
//
// What holds for every format:
//
//   - The input is text with a header, commas and one job a line, plain or
//     compressed with gzip. The header decides: a missing, an unknown or a
//     doubled column is an error, the order of columns does not matter.
//   - Times may be written as decimals. They become whole seconds, rounded to
//     the nearest, halves up.
//   - A row that no simulation can run is dropped and counted in
//     [Trace.Dropped]: a job that asks 0 GPUs, a job that ran 0 seconds (it
//     held no GPU, and its queueing delay would still weigh in every average),
//     a job whose state is not an end.
//   - Anything else that is wrong is an [InputError] that names the file, the
//     line and the column. No cell is guessed. A wrong unit in a file cannot be
//     seen in it: seconds in a column of minutes load as minutes.
//   - Wall-clock times are read as if they were UTC and counted from the first
//     submission that is kept. A change to or from summer time inside a trace
//     shows as an hour too much or too little.
//
// The input is streamed; a job takes about 300 bytes, one with three facts about
// 600. The limits are 4 GiB of decompressed text, 10 million lines and 1 MiB a
// line.
package traces
