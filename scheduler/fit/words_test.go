package fit

import (
	"strings"
	"testing"

	"schedmate"
)

// The words are those of Slurm's own table, 22.05 to 26.05.
func TestEveryWordOfSlurmHasAMeaning(t *testing.T) {
	const slurm = `None Prolog Priority Dependency Resources PartitionNodeLimit PartitionTimeLimit PartitionDown PartitionInactive JobHeldAdmin
		JobHeldUser BeginTime Licenses AssociationJobLimit AssociationResourceLimit AssociationTimeLimit Reservation ReqNodeNotAvail FrontEndDown
		SchedDefer NodeDown BadConstraints SystemFailure JobLaunchFailure NonZeroExitCode RaisedSignal TimeLimit InactiveLimit InvalidAccount
		InvalidQOS QOSUsageThreshold QOSJobLimit QOSResourceLimit QOSTimeLimit Cleaning QOSNotAllowed AccountNotAllowed DependencyNeverSatisfied
		QOSGrpCpuLimit QOSGrpCPUMinutesLimit QOSGrpCPURunMinutesLimit QOSGrpJobsLimit QOSGrpMemLimit QOSGrpNodeLimit QOSGrpSubmitJobsLimit
		QOSGrpWallLimit QOSMaxCpuPerJobLimit QOSMaxCpuMinutesPerJobLimit QOSMaxNodePerJobLimit QOSMaxWallDurationPerJobLimit
		QOSMaxCpuPerUserLimit QOSMaxJobsPerUserLimit QOSMaxNodePerUserLimit QOSMaxSubmitJobPerUserLimit QOSMinCpuNotSatisfied AssocGrpCpuLimit
		AssocGrpCPUMinutesLimit AssocGrpCPURunMinutesLimit AssocGrpJobsLimit AssocGrpMemLimit AssocGrpNodeLimit AssocGrpSubmitJobsLimit
		AssocGrpWallLimit AssocMaxJobsLimit AssocMaxCpuPerJobLimit AssocMaxCpuMinutesPerJobLimit AssocMaxNodePerJobLimit
		AssocMaxWallDurationPerJobLimit AssocMaxSubmitJobLimit JobHoldMaxRequeue JobArrayTaskLimit BurstBufferResources BurstBufferStageIn
		BurstBufferOperation PowerNotAvail PowerReserved AssocGrpUnknown AssocGrpUnknownMinutes AssocMaxUnknownPerJob AssocMaxCpuPerNode
		AssocGrpMemMinutes AssocGrpMemRunMinutes AssocMaxMemPerJob AssocMaxMemMinutesPerJob AssocGrpNodeRunMinutes AssocGrpEnergy
		AssocMaxEnergyMinutesPerJob AssocGrpGRES AssocGrpGRESMinutes AssocGrpGRESRunMinutes AssocMaxGRESPerJob AssocMaxGRESPerNode
		AssocMaxGRESMinutesPerJob AssocGrpLicense AssocMaxLicensePerJob AssocGrpBB AssocMaxBBPerNode QOSGrpGRES QOSMaxGRESPerUser
		QOSMaxMemoryPerUser QOSMaxMemoryMinutesPerJob QOSGrpMemoryRunMinutes QOSMinMemory QOSMinNode QOSMinGRES QOSMinLicense QOSMinBB
		QOSMinEnergy QOSMinUnknown QOSMinBilling DeadLine MaxBBPerAccount MaxCpuPerAccount MaxEnergyPerAccount MaxGRESPerAccount
		MaxNodePerAccount MaxLicensePerAccount MaxMemoryPerAccount MaxUnknownPerAccount MaxJobsPerAccount MaxSubmitJobsPerAccount
		PartitionConfig AccountingPolicy FedJobLock OutOfMemory MaxMemPerLimit AssocGrpBilling AssocGrpBillingRunMinutes
		AssocMaxBillingPerJob QOSGrpBilling QOSMaxBillingPerUser MaxBillingPerAccount ReservationDeleted ReservationInvalid Constraints MaxRequeue
		WaitingForScheduling`
	for _, reason := range strings.Fields(slurm) {
		w, known := meaning(reason)
		if !known || w.meaning == "" || w.kind == 0 {
			t.Errorf("%s has no meaning: %+v", reason, w)
		}
	}
}

// A job that is held starts at no time, whatever the scheduler once planned, and is held
// by whom the scheduler's word names.
func TestHeldJobsAreNotExpected(t *testing.T) {
	for _, c := range []struct {
		reason, sentence string
		want             Kind
	}{
		{"JobHeldUser", "", HeldByUser},
		{"JobHeldAdmin", "", HeldByAdmin},
		{"JobHeldUser", "job_requeued_in_held_state", HeldByUser},
		{"JobHeldAdmin", "job requeued in held state", HeldByAdmin},
		{"JobHeldUser", "launch_failed_requeued_held", HeldByUser},
		{"JobHeldUser", "Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority partitions", HeldByUser},
		{"DependencyNeverSatisfied", "", DependencyNever},
	} {
		job := schedmate.ObservedJob{ID: "1", State: "PENDING", Reason: c.reason, Description: c.sentence, Start: 1010}
		if c.want != DependencyNever {
			job.Eligible = 1200 // it has a begin time, too
		}
		a := Explain(&schedmate.Observation{Now: 1000, Jobs: []schedmate.ObservedJob{job}}, &job, nil)
		if a.Kind != c.want || a.Told.Kind != c.want || a.Told.Start != 0 || a.Until.At != 0 {
			t.Errorf("%s %q: %v, told %v, planned %d, until %d", c.reason, c.sentence, a.Kind, a.Told.Kind, a.Told.Start, a.Until.At)
		}
		if strings.Contains(c.sentence, "DOWN") && strings.Contains(a.Text, "down") {
			t.Errorf("it is held, and not: %s", a.Text)
		}
	}
}

func TestReasonsWithTextBehindThem(t *testing.T) {
	for reason, want := range map[string]Kind{
		"":                           NotLooked,
		"(Resources)":                Resources,
		"AssocGrpGRES":               PolicyLimit,
		"QOSMaxGRESPerUser":          PolicyLimit,
		"job requeued in held state": HeldByUser,
		"ReqNodeNotAvail, May be reserved for other job":                                              NodesUnavailable,
		"ReqNodeNotAvail,_UnavailableNodes:n[3-4]":                                                    NodesUnavailable,
		"Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority partitions": NodesUnavailable,
		"Nodes_required_for_job_are_DOWN,_DRAINED_or_reserved_for_jobs_in_higher_priority_partitions": NodesUnavailable,
	} {
		if w, known := meaning(reason); !known || w.kind != want {
			t.Errorf("%q is %v, want %v", reason, w.kind, want)
		}
	}
	if w, known := meaning("SomethingNew"); known || w.kind != Unknown {
		t.Errorf("a word that nobody knows has the meaning %+v", w)
	}
}
