// Package worth answers what facts would have been worth to a cluster: it plays a
// month of its jobs again, under what its scheduler does and under policies that
// are told what an advisor, a failure handler and a model of measured quality
// would have said.
//
// What can be read from the month itself is read from it: how often work comes
// again, what the mean of a user's last jobs was worth as an estimate, how long
// people took to resubmit what hardware had failed. What cannot is an assumption,
// and stands in the answer.
package worth
