// Package lineclass tells what kind of text a log line is: configuration,
// progress, a warning, an error and whose, routine, or the end of a process.
//
// A line class says what a text looks like. It does not say who must act on a
// failure, which takes the lines around it, and never becomes a failure class
// one to one.
//
// The way of a line:
//
//	line --logs.Template--> hash --cache--> class and confidence     nearly every line
//	                                |
//	                                +--> overrides of the operator   the first line of
//	                                +--> Model                       each template
//	                                       |
//	                                       +--> Oracle, later, for templates of which
//	                                            the model is unsure
//
// A [Model] is a multinomial logistic regression over words, pairs of words,
// character n-grams, the shape of the line, and groups of words of one meaning.
// It is trained from the labelled lines that the program carries, in about 60
// ms when it is first needed. Training has a fixed order and no randomness that
// is not seeded: the same lines give bit-equal weights on every machine.
//
// A [Classifier] puts the cache in front. All of it is safe for concurrent use,
// and classifying allocates nothing.
package lineclass
