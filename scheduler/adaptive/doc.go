// Package adaptive is the truth about adaptive jobs that a simulation needs: how
// long a step of an application takes on GPUs of a shape, and how much it
// teaches, by measurements of a public artifact. No policy sees any of it; what
// a job has measured about itself reaches policies as schedmate.Tuning.
package adaptive
