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
