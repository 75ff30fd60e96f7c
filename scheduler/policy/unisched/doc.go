// Package unisched plans jobs with deadlines, best-effort jobs and profiling runs
// together, in leases.
//
//	lease       every 600 s: a program over all jobs chooses which deadlines are kept
//	            (reward 100, 80, 50, 20) and who else runs now (1 / leases left, a
//	            profiling run 1), so that the rewards' sum is largest
//	spot lease  every 300 s: the GPUs without a lease, by reward for a GPU
//	placing     gangs in aligned cells of 8, 4, 2 and 1 GPUs, over several nodes
//	            where the cluster lets them
//
// Sources: UniSched (Gao et al., IEEE TC 2024): rewards, section III-C2; cells,
// III-C3; the program, equations 4-14; expected suspensions, equation 3. What a
// resumption costs was measured by its authors; see [Measured].
// docs/policies/unisched.md says where the presets differ.
package unisched
