package failure

import "testing"

// Lines that talk of errors and report none: no rule knows them, and nothing may be
// guessed from their words.
func TestNothingIsGuessedFromWhatProgramsPrint(t *testing.T) {
	for _, line := range []string{
		`tests/test_mem.py::test_raises_RuntimeError_CUDA_out_of_memory PASSED    [ 42%]`,
		`    oom_test.go:33: got expected error: signal: killed`,
		`[health] node gpu-01: checking ECC uncorrectable errors ... 0`,
		`    Correctable Error                 : 1`,
		`| 48   | Xid 48 Double Bit ECC Error            | drain node |`,
		`        raise RuntimeError("CUDA out of memory") from e`,
		`  "output": "The GPU was lost. Quarantine gpu-node-3."`,
		`* 1a2b3c4 Fix: RuntimeError: CUDA error: invalid device function on sm_90`,
	} {
		if d := readText(t, line+"\n").Diagnosis(); d.Root != nil {
			t.Errorf("%q is taken for %s", line, d.Subclass)
		}
	}
}

// A guess does not fail a job that went on; an error that is known needs more records
// to be overcome.
func TestAGuessIsTakenBackWhenTheJobGoesOn(t *testing.T) {
	const guess = "ERROR the NIC firmware watchdog on gpu-07 reports a link that is down\n"
	if d := readText(t, "step 10 loss 2.2\nstep 20 loss 2.1\n"+guess).Diagnosis(); d.Root == nil {
		t.Error("the guess at the end is not taken")
	}
	if d := readText(t, "step 10 loss 2.2\nstep 20 loss 2.1\n"+guess+"step 30 loss 2.0\nstep 40 loss 1.9\n").Diagnosis(); d.Root != nil {
		t.Errorf("the job went on and is said to have failed of %s", d.Subclass)
	}
}

// What a script around the job prints with the date, whatever became of it, hides no
// crash.
func TestTheDateOfAScriptHidesNoCrash(t *testing.T) {
	const crash = "step 10 loss 2.2\nTraceback (most recent call last):\n  File \"train.py\", line 3, in <module>\nRuntimeError: mat1 and mat2 shapes cannot be multiplied (8x512 and 768x768)\n"
	for _, end := range []string{"Training completed at Sun Nov 30", "Training finished on 2025-11-30 08:00:11", "training done: Sun Nov 30 08:00:11 UTC 2025"} {
		if d := readText(t, crash+end+"\n").Diagnosis(); d.Root == nil {
			t.Errorf("%q hides it", end)
		}
	}
}

// Lines that programs leave with and no rule knows are the likeliest reason there is, and
// no more than that: the class is that of their words, else who submitted the job has to
// look.
func TestTheLastWordIsAWeakReason(t *testing.T) {
	for line, want := range map[string]string{
		`FATAL: config key "lr" missing`:                            "unknown_user",
		`Error: cannot open dataset /data/x.bin`:                    "unknown_user",
		`RuntimeError while loading data: shard 3 has 0 rows`:       "unknown_user",
		`ERROR: could not find module torch`:                        "unknown_user",
		`[2026-11-30 10:00:00] CRITICAL trainer: bad shard`:         "unknown_user",
		`2026-11-30 10:00:00,123 - root - ERROR - dataset is empty`: "unknown_user",
		`ERROR: uplink of the fabric is down on this host`:          "unknown_infrastructure",
	} {
		d := readText(t, "loading\n"+line+"\n").Diagnosis()
		if d.Root == nil || d.Root.Line != 2 || d.Subclass != want || d.Confidence > 0.7 || d.Quarantine {
			t.Errorf("%q: %s, %.2f sure of %v", line, d.Subclass, d.Confidence, d.Root)
		}
	}
}

// What a run that is well may end with.
func TestNoLastWordOfAGoodRun(t *testing.T) {
	for _, log := range []string{
		"ERROR: could not find module torch\nTraining finished\n",
		"Training finished\nERROR: could not find module torch\n",
		"step 1/2 loss 2.2\nstep 2/2 loss 2.1\nDone.\nERROR: tensorboard has no data\n",
		"error rate: 0.02\n", "no errors found\n", "Error bars are 95 % intervals\n", "Errors: 0\n", "ERROR: skipping row 7\n",
		"[    1.112233] ACPI: Error: AE_NOT_FOUND, While resolving a named reference\n",
		"DEBUG: Error: probe of the second path\n", "+ echo Error: none\n", "        raise RuntimeError(\"bad shard\") from e\n",
		"Failed to find the cache, falling back to the network\n",
	} {
		if d := readText(t, log).Diagnosis(); d.Root != nil {
			t.Errorf("%q is taken for %s", log, d.Subclass)
		}
	}
}
