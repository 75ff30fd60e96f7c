// Package cells cuts nodes of eight GPUs into aligned cells of 8, 4, 2 and 1
// GPUs, as the allocators of CHRONUS and UniSched do.
//
// A demand is a [Count] of cells of each size. Whether it fits free GPUs is a
// question of four numbers ([Levels]): it fits if and only if for every size l
// the cells of size z >= l, counted as z/l cells of size l, are at most the free
// aligned cells of size l. [Place] turns such a demand into GPUs.
package cells
