// Package chronus promises deadlines, and keeps them by a calendar of leases.
//
//	newcomer     is promised its deadline if it can be packed beside all promises
//	boundary     promised jobs get the leases of their plans, all others let go
//	cycle        the GPUs without a lease: refused jobs that end in time, then
//	             urgency = -(GPU time left), of promised jobs -(slack * GPUs)
//	odd steps    what is still free, promised jobs first
//
// Source: CHRONUS (Gao et al., SoCC'21), by its public artifact. Every rule of
// reading "artifact" is the artifact's, slips included; docs/policies/chronus.md
// names them.
package chronus
