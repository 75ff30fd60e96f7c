// Package genie serves the job first that can least afford to wait (GENIE, Chen
// et al., TPDS 2020): among the jobs that can still make their deadline, by the
// predicted run time, the one with the least slack.
//
//	slack = first deadline that can be made - now - work left
//	order = slack >= 0: by slack; then all others (best effort, too late, or
//	        without an estimate) by submit
//
// It preempts nobody. GENIE also chooses each job's number of GPUs, as the
// cheapest one in GPU time that makes the deadline. That needs a prediction of
// the speed on other gangs, which no fact holds yet: here the gang is the one
// that was asked for.
package genie
