package worker

// WaitForEnd waits until the child, killed by somebody else, was reaped.
func (c *Client) WaitForEnd() {
	c.mu.Lock()
	defer c.mu.Unlock()
	<-c.child.ended
}
