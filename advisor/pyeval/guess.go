package pyeval

// A guess is a call behind an unknown condition: nobody knows whether the
// program makes it. It may use a part of the steps that are left, so that what
// perhaps happens, as loading an old checkpoint, does not keep the interpreter
// from what happens after it. A call behind a further unknown condition within
// it is a guess of its own.

// guessShare is the part of the remaining steps that a guess may use.
const guessShare = 3

// guess is the call that may not happen and is being followed.
type guess struct {
	end     int // the step at which it is left; 0: outside of one
	doubt   int // unknown conditions around it
	loading int // modules that were running when it began: one runs to its end
}

// tooFar leaves a guess that has used its steps.
type tooFar struct{}

// guessAt follows a call behind an unknown condition.
func (in *Interp) guessAt(fn *Function, c *Call) (out Value) {
	before, outer := in.state, in.guess
	end := in.budget.Steps
	if outer.end > 0 {
		end = outer.end
	}
	in.guess = guess{in.steps + max(0, end-in.steps)/guessShare, in.doubt, in.loading}
	defer func() {
		in.guess = outer
		if e := recover(); e != nil {
			if _, far := e.(tooFar); !far {
				panic(e)
			}
			in.state = before
			in.note("%s: not followed to its end: nobody knows that it is called", fn.Name)
			out = unknown("%s was not followed to its end", fn.Name)
		}
	}()
	return in.follow(fn, c)
}
