"""Stable-Baselines3 learns one seat of hearts-short. Install: pip install sb3-contrib (with PyTorch)."""

import gymnasium
import numpy as np
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy

import pigpen.learn.registered

env = gymnasium.make(pigpen.learn.registered.NAMES["hearts-short"])
model = MaskablePPO("MlpPolicy", env, n_steps=512, seed=1, device="cpu").learn(1024)
rewards, _ = evaluate_policy(model, env, n_eval_episodes=50, return_episode_rewards=True, warn=False)
print(f"points a deal: {np.mean(rewards):+.2f} ± {np.std(rewards) / len(rewards) ** 0.5:.2f}")
