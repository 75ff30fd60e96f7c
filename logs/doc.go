// Package logs turns the bytes of a job's log into text a program can reason
// about, whatever wrote them: a pipe, a terminal, a container runtime, a
// launcher that labels ranks.
//
//	bytes --Decoder--> Segment --Fields--> numbers with their names and units
//	                      |--Template--> hash of the line's shape
//
// A Segment is what a person would have seen as one line at one moment: a line
// ended by a newline, or one state of a progress bar that is redrawn with
// carriage returns, backspaces or cursor movements. Escape sequences are gone,
// the text is valid UTF-8, the labels that container runtimes and launchers put
// before a line are taken off and kept as stamp, rank and host. Every segment
// knows its byte and line in the source, so that whatever is concluded from it
// can be shown there.
//
// Nothing here knows a framework. Names of things (step, epoch, loss) play no
// part in this package except the units of time and rates.
//
// All text is hostile input: memory is bounded whatever comes, and no input
// makes a function here panic or take more than linear time.
package logs
