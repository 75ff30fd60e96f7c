// Package pack decides which jobs share GPUs, and takes such a decision back
// when it turns out to have been wrong.
//
//	Score    how much of a GPU a job leaves to others: 0, 1 or 2
//	Rules    which two jobs may share: gang, memory, scores, predicted speeds
//	Forecast how fast each of a pair will be: measured, learned, or unknown
//	Test     whether a job has become slower than is tolerated, as a sequential
//	         test on its logged step times, with a stated rate of false alarms
//	Evictor  the newcomer of a pair that has become too slow leaves
//	Book     what is remembered from one plan to the next: who shall never be
//	         packed again, and how fast pairs have really been
//
// A policy asks for mates with [Rules.Mates] and for verdicts with
// [Evictor.Verdicts]; both read nothing but the snapshot and the book. What is
// not known is never guessed: without memory or score a job is not packed, and
// without step times from before it is not undone.
//
// Speeds and slowdowns are whole thousandths: a speed of 800 is 0.8 of the speed
// alone, a slowdown of 1250 is 1.25 times the time alone.
package pack
