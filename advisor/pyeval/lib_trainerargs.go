package pyeval

import (
	"strings"

	"schedmate/advisor/origin"
)

// Lightning's Trainer as options of argparse (before version 2).

// trainerOptions are the parameters of the Trainer of version 1 with their
// defaults.
var trainerOptions = []struct {
	name string
	def  Value
}{
	{"logger", boolean(true)}, {"checkpoint_callback", none()}, {"enable_checkpointing", boolean(true)}, {"callbacks", none()}, {"default_root_dir", none()},
	{"gradient_clip_val", none()}, {"gradient_clip_algorithm", none()}, {"process_position", integer(0)}, {"num_nodes", integer(1)}, {"num_processes", none()},
	{"devices", none()}, {"gpus", none()}, {"auto_select_gpus", boolean(false)}, {"tpu_cores", none()}, {"ipus", none()}, {"log_gpu_memory", none()},
	{"progress_bar_refresh_rate", none()}, {"enable_progress_bar", boolean(true)}, {"overfit_batches", float(0)}, {"track_grad_norm", integer(-1)},
	{"check_val_every_n_epoch", integer(1)}, {"fast_dev_run", boolean(false)}, {"accumulate_grad_batches", none()}, {"max_epochs", none()}, {"min_epochs", none()},
	{"max_steps", integer(-1)}, {"min_steps", none()}, {"max_time", none()}, {"limit_train_batches", none()}, {"limit_val_batches", none()}, {"limit_test_batches", none()},
	{"limit_predict_batches", none()}, {"val_check_interval", none()}, {"flush_logs_every_n_steps", none()}, {"log_every_n_steps", integer(50)}, {"accelerator", none()},
	{"strategy", none()}, {"sync_batchnorm", boolean(false)}, {"precision", integer(32)}, {"weights_summary", str("top")}, {"weights_save_path", none()},
	{"num_sanity_val_steps", integer(2)}, {"resume_from_checkpoint", none()}, {"profiler", none()}, {"benchmark", none()}, {"deterministic", none()},
	{"reload_dataloaders_every_n_epochs", integer(0)}, {"auto_lr_find", boolean(false)}, {"replace_sampler_ddp", boolean(true)}, {"detect_anomaly", boolean(false)},
	{"auto_scale_batch_size", boolean(false)}, {"plugins", none()}, {"amp_backend", str("native")}, {"amp_level", none()}, {"distributed_backend", none()},
	{"move_metrics_to_cpu", boolean(false)}, {"multiple_trainloader_mode", str("max_size_cycle")}, {"terminate_on_nan", none()}, {"prepare_data_per_node", none()}, {"stochastic_weight_avg", boolean(false)},
}

func init() {
	for _, home := range []string{"lightning.Trainer.", "lightning.trainer.Trainer.", "lightning.trainer.trainer.Trainer."} {
		native(func(in *Interp, c *Call) Value {
			v := c.first()
			p := parserOf(v)
			if p == nil {
				return v
			}
			for _, o := range trainerOptions {
				def := o.def.with(origin.Named(origin.Default, "lightning.Trainer."+o.name))
				opt := &Option{Names: []string{"--" + o.name}, Dest: o.name, Default: def, Type: scalarType, Nargs: str("?"), Const: boolean(true), Origin: in.line, parser: p}
				taken := false
				for _, old := range p.Options {
					taken = taken || old.Dest == o.name
				}
				if !taken {
					p.Options = append(p.Options, opt)
				}
			}
			return v
		}, home+"add_argparse_args")
		native(func(in *Interp, c *Call) Value {
			d := &Call{Name: "lightning.Trainer"}
			given := map[string]bool{}
			for _, k := range c.Kw {
				if k.Name != "args" {
					given[k.Name] = true
					d.Kw = append(d.Kw, k)
				}
			}
			args, _ := c.Arg("args", 0)
			ns := args.Object()
			from := args.Dict()
			if ns != nil {
				from = ns.Attrs
			}
			if from == nil {
				d.Open = true
			} else {
				for _, o := range trainerOptions {
					v, ok := from.Get(o.name)
					if ok && !given[o.name] && (v.Origin == nil || v.Origin.Kind != origin.Default) {
						d.Kw = append(d.Kw, Keyword{o.name, v})
					}
				}
			}
			return in.call(external(strings.TrimSuffix(strings.Replace(home, "lightning.", "pytorch_lightning.", 1), ".")), d, nil)
		}, home+"from_argparse_args")
	}
}

// scalarType reads a word as the value that it looks like.
var scalarType = Value{Kind: NativeKind, Ref: &Native{Name: "scalar", Run: func(in *Interp, c *Call) Value {
	if v := c.first(); v.Kind == Str && v.Text != "" {
		return in.scalar(v)
	}
	return c.first()
}}}
