// Package report writes what the failure handler found out as a report for
// people: one screen of text for whoever is on call at night, Markdown for a
// ticket, or one HTML page that needs no network. All three say the same, in
// English or Chinese, and end (the screen apart) with the same for machines.
//
// Every text that comes from a log is hostile. It is first redacted by the
// function that the caller gives, then every character without a shape of its
// own is written out (hostile.go), and at last it is escaped where it meets
// Markdown or HTML. No text of a log can become a link, markup, a colour of the
// terminal or a change of reading direction.
package report
