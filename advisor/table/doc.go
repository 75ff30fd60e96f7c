// Package table holds what an expert knows of the field by heart, as data with
// sources: models, data sets, optimisers, number formats, accelerators,
// defaults of libraries, names of tasks, and what is true when nothing is said.
//
// Every table is one embedded CSV file; every row names its source. Each result
// carries its row as an origin, so that an answer can say where it is from. A
// number that no source states is absent, never guessed.
//
// Names are compared without case and separators ("GPT-2 XL" is "gpt2-xl"),
// except that a point between digits counts ("opt-1.3b" is not "opt-13b"). A
// name inside a longer text counts only on the borders of words and only when
// it is the sole one.
package table
