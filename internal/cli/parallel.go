package cli

import (
	"context"
	"iter"
	"slices"
)

// inOrder works on the items, some at a time, and yields the results in the order of
// the items. It ends early when the context does: work that waits for a pipe that
// says nothing is left behind.
func inOrder[Item, Result any](ctx context.Context, parallel int, items []Item, work func(context.Context, Item) Result) func(yield func(Result) bool) {
	return inOrderOf(ctx, parallel, slices.Values(items), work)
}

// inOrderOf is inOrder for items that come one after another.
func inOrderOf[Item, Result any](ctx context.Context, parallel int, items iter.Seq[Item], work func(context.Context, Item) Result) func(yield func(Result) bool) {
	return func(yield func(Result) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		queue := make(chan chan Result, max(parallel-1, 0))
		go func() {
			defer close(queue)
			for item := range items {
				result := make(chan Result, 1)
				select {
				case queue <- result:
					go func() { result <- work(ctx, item) }()
				case <-ctx.Done():
					return
				}
			}
		}()
		for result := range queue {
			select {
			case r := <-result:
				if ctx.Err() != nil || !yield(r) {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
}
