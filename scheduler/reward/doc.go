// Package reward says what finishing by when is worth.
//
//	strict       one step at the deadline; late after it
//	soft         one step a tier, each later and worth less; late after the last
//	best effort  1/n for each best-effort lease granted, n = leases left
//	profiler     1 for its one best-effort lease
//
// Rewards are whole numbers of 1/[One], so that sums are exact and equal
// rewards compare as equal. Sources: CHRONUS, section 5 (strict 100 then 1, soft
// 100/80/50/20 at 1.0/1.1/1.2/1.5 deadlines); its public code (10/8/5/2, late 0);
// UniSched (profiler 1, best effort inversely proportional to what remains).
package reward
