// Package highs asks the HiGHS solver. Its shared library is bound when the
// program runs, not when it is built: whoever has none misses the solver alone.
//
// [Candidates] lists where a library may be, [Open] takes the first that is one:
// it must load, have every function that is called, be of a version that was
// tried, and count in 32-bit integers.
//
// A [Library] lives in the process that opened it, and a fault inside it ends that
// process; its limit of time is kept late. Whoever must go on runs it in a
// process of its own, which package worker can kill.
//
// Settings, all measured on lease rounds: one thread (a second gains nothing, and
// 1.10 fails when the number changes), no presolve (newer versions spend seconds
// in it on dense rows), always from a start.
//
// The C API is that of HiGHS 1.10.0, interfaces/highs_c_api.h; the functions in
// use are the same up to 1.15.1.
package highs
