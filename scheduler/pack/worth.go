package pack

import "schedmate"

// BreakEven is the slowdown, in thousandths, up to which two jobs that share GPUs
// end sooner in the mean than one after the other, the one that was there first, if
// sharing slows both alike:
//
//	1 + max(1, R / r) / 2, for R left of the job that was there and r of the newcomer
//
// A newcomer that is short beside a long job may slow it much: it ends soon, where
// otherwise it would wait for the whole of R. Derivation, with speed a of both, for
// r <= R: together the newcomer ends after r/a and the other after R + r (1-a)/a; one
// after the other they end after R + r and R. The sums are equal at 2/a = 2 + R/r.
// For r > R the other ends after R/a and the newcomer after r + R (1-a)/a, equal to
// the same at 2/a = 3. It returns false where it is not known what is left.
func BreakEven(newcomer, mate *schedmate.JobStatus, now schedmate.Seconds) (int, bool) {
	n, okN := newcomer.Remaining(now)
	m, okM := mate.Remaining(now)
	if !okN || !okM || n <= 0 || m <= 0 {
		return 0, false // no estimate, or one that has been outrun
	}
	return int(min(1000+500*max(1000*int64(m)/int64(n), 1000)/1000, MaxSlowdown)), true
}

// Worth reports whether two jobs with so much left end sooner in the mean together,
// at these speeds in thousandths, than the mate first and then the newcomer. Where it
// is not known what is left, it is worth it if together they do more than alone.
func Worth(newcomer, mate *schedmate.JobStatus, f Forecast, now schedmate.Seconds) bool {
	rn, okN := newcomer.Remaining(now)
	rm, okM := mate.Remaining(now)
	if !okN || !okM || rn <= 0 || rm <= 0 {
		return f.Newcomer+f.Mate > 1000
	}
	n, m, a, b := int64(rn), int64(rm), int64(f.Mate), int64(f.Newcomer)
	if n*a <= m*b { // the newcomer ends first, after n/b; the other after m + n (1-a)/b
		return n*1000+n*(1000-a) < (m+n)*b
	}
	// The mate ends first, after m/a; the newcomer after n + m (1-b)/a.
	return m*1000+m*(1000-b) < 2*m*a
}
