// Package chronus promises deadlines, and keeps them by a calendar of leases.
//
// Reading "calendar" follows the paper, and with other options what we hold best:
//
//	arrival      promised, if a calendar holds all promises and this one; else refused
//	boundary     leases by a round of the most reward that keeps all strict promises
//	cycle        the GPUs without a lease, by urgency = -(time left)
//
// Reading "artifact" follows its public code:
//
//	newcomer     is promised its deadline if it can be packed beside all promises
//	boundary     promised jobs get the leases of their plans, all others let go
//	cycle        the GPUs without a lease: refused jobs that end in time, then
//	             urgency = -(GPU time left), of promised jobs -(slack * GPUs)
//	odd steps    what is still free, promised jobs first
//
// Sources: CHRONUS (Gao et al., SoCC'21), and its public artifact. Every rule of
// reading "artifact" is the artifact's, slips included; docs/policies/chronus.md
// names them, and how the presets differ.
package chronus
