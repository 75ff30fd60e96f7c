// Package verify checks plans. It shares no code with the policies, keeps its
// own books, and trusts nothing a plan says.
//
// [Check] judges one plan against one snapshot. A [Ledger] follows a whole run:
// it is told what arrives, ends and breaks, and judges each plan in time
// proportional to the plan.
package verify
