package pyeval

// A guess is a call behind an unknown condition: nobody knows whether the
// program makes it. It may use a part of the steps that are left, so that what
// perhaps happens, as loading an old checkpoint, does not keep the interpreter
// from what surely happens after it.

// guessShare is the part of the remaining steps that a guess may use.
const guessShare = 4

// tooFar leaves a guess that has used its steps.
type tooFar struct{}

// guess follows a call behind an unknown condition. Calls within it belong to
// the same guess.
func (in *Interp) guess(fn *Function, c *Call) (out Value) {
	before := in.state
	in.guessLoading = in.loading // a module runs to its end
	in.guessEnd = in.steps + (in.budget.Steps-in.steps)/guessShare
	defer func() {
		in.guessEnd = 0
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
