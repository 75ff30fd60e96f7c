package lineclass

import (
	"strings"
	"sync"
)

// Groups of words that are evidence of one thing. The model learns what a group
// means; a group only lets it learn it from fewer lines.
const (
	groupWarn = iota
	groupError
	groupInfo
	groupGentle // the job goes on
	groupNegation
	groupFailure
	groupHardware
	groupNetwork
	groupStorage
	groupNode
	groupGone
	groupTimeout
	groupMemory
	groupExhausted
	groupShape
	groupLibrary
	groupNaN
	groupAssert
	groupArgument
	groupConfig
	groupUser // what scripts get wrong, in the names of Python's exceptions
	groupTraceback
	groupMetric
	groupPace
	groupStep
	groupPhase
	groupSetup
	groupWorld
	groupModel
	groupKeep
	groupFetch
	groupGood
	groupRoutine
	groupEnd
	groupSignal
	groupSibling
	groupCode
	groupAddress

	groupCount
)

var evidence = [groupCount]string{
	groupWarn:      "warn warning",
	groupError:     "error fatal critical err",
	groupInfo:      "info debug notice trace",
	groupGentle:    "deprecated deprecation fallback falling fall ignore skip dropping retry instead recommended should may might could consider slow slower bottleneck suggested unexpected unused workaround replaced override overridden clamp truncate discard degrade suboptimal performance legacy future removed assume unsupported experimental unstable mismatch duplicate default overflow spike straggler",
	groupNegation:  "not no cannot couldn didn doesn isn without unable never none missing nothing",
	groupFailure:   "fail failure error fatal crash broken corrupt corruption invalid illegal bad panic abort exception fault faulty lost",
	groupHardware:  "ecc uncorrectable correctable xid sxid nvlink nvswitch nvrm pcie pci bus remap remapper retired edac dimm mce thermal overheat throttle power psu fan hbm uncorrected aer gsp fallen gpu device dbe sbe bit row parity hardware driver nvidia smi dcgm npu tpu chip board slot machine",
	groupNetwork:   "nccl rccl hccl ib ibv infiniband mlx rdma roce socket connection connect peer host route network nic port link dns resolution resolve rendezvous etcd grpc rpc tcp ucx verbs gloo mpi ofi efa libfabric endpoint transport ssh http https bond eth switch fabric subnet qp wc interface ethernet connectivity lid gid",
	groupStorage:   "disk quota space lustre nfs gpfs ceph cephfs beegfs weka stale handle filesystem fuse mount hdfs datanode block io inode fs blob bucket nvme ssd raid ext errno ost mds storage volume efs fsx",
	groupNode:      "node host worker machine drain cordon evicted eviction unhealthy notready hypervisor vm instance kubelet slurmctld raylet kernel",
	groupGone:      "unreachable down lost dead refused reset closed unavailable unresponsive respond disconnect stopped gone missed inactive unhealthy timeout timed hang stalled stuck reachable",
	groupTimeout:   "timeout timed watchdog heartbeat exceeded deadline expired",
	groupMemory:    "memory oom ram allocate malloc alloc allocator gib mib hbm capacity",
	groupExhausted: "out exhausted insufficient exceeded full",
	groupShape:     "shape dim dimension size dtype rank stride channels broadcast mismatch incompatible divisible inconsistent expected got tensor matrix",
	groupLibrary:   "cuda cudnn cublas cufft cusparse cusolver kernel op operator gemm xla hlo compile compiler nvcc triton jit graph backend extension build version compute capability require compatible incompatible install support implement registered autograd grad gradient backward fp bf sharding shard",
	groupNaN:       "nan inf infinite infinity diverged overflow exploding non finite nonfinite",
	groupAssert:    "assert assertion check enforce expected",
	groupArgument:  "argument arg option flag unrecognized choice usage keyword parameter required expects override",
	groupConfig:    "config configuration hyperparameters hparams hyper parameters params setting yaml args namespace cfg conf",
	groupUser:      "file directory key index attribute name module import syntax indentation unicode decode encode value type zero division recursion stop lookup found exist",
	groupTraceback: "traceback file line recent call last stack frame raise during handling",
	groupMetric:    "loss acc accuracy auc auroc aupr map ap ar bleu rouge wer cer per ppl perplexity precision recall iou miou dice fid is reward return mse rmse mae mape logloss gnorm grad norm lr rate eta elapsed ips tflops flops mfu hfu top psnr ssim kl entropy error err score metric bpc bpb nll elbo cost throughput speed ndcg hit mrr merror auprc cross ce bce",
	groupPace:      "it its iter iteration sec secs s ms second sample token image img imgs example seq sequence record frame fps qps step batch batches wps ups tps word sentence utt",
	groupStep:      "step iter iteration epoch batch batches round episode update global trial generation timestep frame pass",
	groupPhase:     "train training valid validation val eval evaluation evaluating test dev best",
	groupSetup:     "init initialize initialization setup start launch create build built load use set enable disabled detected found register configure connect listening available allocate world bind discover parse number num total visible",
	groupWorld:     "world rank local nnodes nproc node master addr address port backend group parallel size process data tensor pipeline device gpu cuda worker member cluster distributed replica",
	groupModel:     "model layer params parameter trainable optimizer scheduler dataset dataloader sample example tokenizer vocab vocabulary hidden head embedding seed precision amp classes image encoder decoder backbone module dtype weight feature",
	groupKeep:      "checkpoint ckpt save snapshot store write written writing wrote dump upload export sync flush",
	groupFetch:     "load restore resume download cache read fetch copied copy import prefetch",
	groupGood:      "ok success successful successfully done finish complete ready healthy passed pass up alive improved",
	groupRoutine:   "cleanup clean delete remove rotate log converting wrap broadcast warmup warm prepare shuffle index collated gc compiled reuse hit probe health heartbeat",
	groupEnd:       "exit terminate termination kill stop shutdown shut teardown tearing cancel cancelled cancellation abort quit interrupt finished finish completed close closing leave leaving end goodbye bye destroy preempted preemption early finalize",
	groupSignal:    "sigterm sigkill sigint sigabrt sigsegv sigbus signal keyboard interrupt core dumped kill graceful gracefully segmentation",
	groupSibling:   "remaining sibling other another peer process worker child children rank task job group step launcher agent subprocess container pod",
	groupCode:      "code exitcode status exit return returncode errorcode",
	groupAddress:   "http https www com org github docs html",
}

// lexicon finds the groups of a stem: open addressing, half empty.
type lexicon [lexiconSlots]struct {
	stem   uint32
	groups uint64
}

const lexiconSlots = 2048

var theLexicon = sync.OnceValue(func() *lexicon {
	l := new(lexicon)
	for group, words := range evidence {
		for w := range strings.FieldsSeq(words) {
			stem := stemOf([]byte(w))
			i := l.slot(stem)
			l[i].stem = stem
			l[i].groups |= 1 << group
		}
	}
	return l
})

// slot returns where the stem is, or where it would be.
func (l *lexicon) slot(stem uint32) uint32 {
	i := (stem * 0x9E3779B1) >> 21 % lexiconSlots
	for l[i].groups != 0 && l[i].stem != stem {
		i = (i + 1) % lexiconSlots
	}
	return i
}

func (l *lexicon) groups(stem uint32) uint64 { return l[l.slot(stem)].groups }
