// Package worker keeps a solver in a process of its own, which can be killed.
//
// A solver in C++ checks its limit of time late, may run out of memory, and takes
// its process along when it fails. In a child none of that matters: [Client] gives
// it a question, and kills it when there is no answer by the hard limit, when it
// ends, stops or writes what is no answer. Then there is no answer, the plan stands
// as it is, and the next question starts another child. What comes back is
// checked against the question before anybody sees it.
//
// # Protocol
//
// Child and parent are the same program. They speak over the child's standard
// input and output, in frames:
//
//	"smw1"  kind uint32  size uint64  payload of that size
//
// All numbers are little-endian; the digit is the version of the protocol. The
// child begins with a hello (which solver, from which file) or a failure (why there
// is none). After that each question is answered by one answer or one failure, with
// the question's number. Sizes are bounded: see [mostQuestion], and an answer is no
// larger than its question's columns. The child ends when its input does, so also
// when its parent dies, in the middle of a question too.
package worker
