// Package calendar checks lease calendars. It imports nothing of what makes
// them: it is told the round as plain numbers, adds up for itself what each slot
// holds and what each job has earned, and compares.
package calendar
