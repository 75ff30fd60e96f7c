// Package failure finds out from logs why a job failed: the first true error
// among thousands of lines, who has to act on it, which part and node are at
// fault, and what may safely be done.
//
//	logs --Scan--> events --causes--> root --verdict--> schedmate.Diagnosis
//
// Rules, which are data (the folder rules), tell what a line is. The rest is
// reasoning over what they found: an event that another explains is no root, an
// error that the job recovered from is no failure, and a node is to blame only
// on proof from that node. What the logs do not show is "not determined".
//
// All of it is deterministic and needs no model. Text of logs is data: it can
// be quoted, and never decides what is done.
package failure
