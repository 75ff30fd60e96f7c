// Package series follows the numbers of a log over time: lines of one shape are
// a Family, the numbers in one place of a family are a Column, and a column that
// counts up by itself, whatever it is called, is a Counter.
//
// A family is recognised by how its lines begin, up to the second number, with
// numbers masked: what comes later may vary (an optional field, a rate that
// turns from it/s to s/it), and its columns are told apart by name. A Set holds
// the families of one log in bounded memory, whatever the log's size: the last
// records of each family are kept, and families not seen for long give way.
package series
