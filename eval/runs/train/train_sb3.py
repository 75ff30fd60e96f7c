"""Stable-Baselines3 PPO: a table per rollout; the step is total_timesteps."""
import gymnasium, torch
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from truth import Truth

torch.set_num_threads(1)
truth = Truth()


class Clock(BaseCallback):
    def _on_rollout_end(self):
        pass

    def _on_rollout_start(self):
        if self.num_timesteps:
            truth.step(self.num_timesteps)

    def _on_training_start(self):
        truth.begin()

    def _on_step(self):
        return True


PPO("MlpPolicy", "CartPole-v1", n_steps=256, batch_size=64, n_epochs=6, verbose=1, device="cpu", seed=0).learn(256 * 60, callback=Clock())
