// Package dispatch turns an order of jobs into actions. Policies differ in how
// they order jobs; how an order becomes starts and preemptions is written once
// here:
//
//   - [InOrder] starts waiting jobs and preempts nobody.
//   - [Counted] lets the first jobs that fit in number run, preempts the rest,
//     and only then looks for places (as several public artifacts do).
//   - [Displace] preempts only for a job that it can then place.
package dispatch
