// Package slurmlab gives tests a real Slurm: a throw-away cluster on loopback
// (see labs/slurm), a scenario of forty jobs whose truth is known, a queue of
// thousands of jobs, and proof of which calls a program made.
//
//	func TestMain(m *testing.M) { os.Exit(slurmlab.Main(m)) }
//
//	func TestWhy(t *testing.T) {
//		lab := slurmlab.For(t)          // starts it once a test binary; skips t, with the reason, where it cannot be
//		scenario := lab.Scenario(t)     // builds it once, in about 100 s
//		for _, job := range scenario.In(slurmlab.Waiting) {
//			... ask the product about job.ID, compare with job.Reason
//		}
//	}
//
// A lab is shared by all packages that make test runs: a test that compares what
// others may change, or counts calls, takes it with [Lab.Alone]; one that puts it out
// of order takes one of its own with [Fresh].
//
// Commands find the lab by [Lab.Environment]. To work against one lab for
// longer, start it by hand; the scenario then stands after the first run:
//
//	eval "$(labs/slurm/up.sh)"; go test ./internal/slurmlab ./adapters/slurm; labs/slurm/down.sh
//
// # The scenario
//
// Four nodes n1-n4 of 8 GPUs. Nine jobs run and fill the GPUs of n1-n3:
//
//	run-hf         8 GPUs of n1, log of the Hugging Face Trainer
//	run-megatron   4 GPUs on each of n2 and n3, in a step of two nodes; rank 0 writes
//	run-tqdm       4 GPUs, user nobody of account capped, which has no more
//	run-lightning  2 GPUs, user daemon under QOS small, which gives a user no more
//	run-keras      1 GPU, user daemon under QOS single: one running job a user
//	run-share-a/b  2 of a GPU's 4 shards each
//	run-licence    no GPU, both licences of matlab
//	run-array_1    no GPU, the first task of an array that runs one at a time
//
// Nineteen wait, for ten kinds of reasons. Reason is Slurm's word:
//
//	kind         job                Reason
//	resources    wait-resources     Resources
//	priority     wait-priority-1/2  Priority
//	dependency   wait-dependency    Dependency
//	             wait-never         DependencyNeverSatisfied
//	limit        wait-qos-gpus      QOSMaxGRESPerUser
//	             wait-qos-jobs      QOSMaxJobsPerUserLimit
//	             wait-account       AssocGrpGRES
//	             wait-array_2       JobArrayTaskLimit
//	             wait-time          PartitionTimeLimit
//	             wait-nodes         PartitionNodeLimit
//	partition    wait-closed        PartitionDown
//	reservation  wait-reservation   Reservation
//	held         wait-held-user     JobHeldUser
//	             wait-held-admin    JobHeldAdmin
//	begin        wait-begin         BeginTime
//	constraint   wait-feature       only the node that is down has the feature
//	             wait-node          ReqNodeNotAvail, the node that it names is down
//	licence      wait-licence       Licenses
//
// Twelve have ended. All is real: the exit code, the signal, the memory, the
// full device, the node whose processes were killed. Slurm's own account is in
// Ending; Line is what in the log tells of the cause, if it tells:
//
//	end-ok          COMPLETED
//	end-raise       FAILED 1:0, a Python traceback
//	end-signal      FAILED 0:11, segmentation fault
//	end-time        TIMEOUT
//	end-memory      FAILED 0:9, slurmstepd killed what took more than it asked for
//	end-disk        FAILED 1:0, a checkpoint met a full device
//	end-binary      FAILED 127:0, the program does not exist
//	end-launch      FAILED, its output folder does not exist, so there is no log
//	end-cancelled   CANCELLED by root
//	end-requeued    COMPLETED at the second run; the first one was REQUEUED
//	end-preempted   PREEMPTED by end-node, whose partition comes first
//	end-node        NODE_FAIL, n4 fell silent
//
// The lab has no cgroups. Memory is watched by slurmstepd once a second and not by
// the kernel: no log has an "oom-kill" line, and Slurm's state is FAILED where a
// site with cgroups has OUT_OF_MEMORY; slurmstepd's line in the log tells the cause.
package slurmlab
