"""RLlib learns one seat of hearts-short. Install: pip install "ray[rllib]" torch."""

import gymnasium
import numpy as np
from ray.rllib.algorithms.ppo import PPOConfig
from ray.tune.registry import register_env

NAME = "pigpen.learn.registered:Pigpen/HeartsShort-v0"
register_env("hearts", lambda _: gymnasium.wrappers.DtypeObservation(gymnasium.make(NAME), np.float32))
config = PPOConfig().environment("hearts").env_runners(num_env_runners=0)
algorithm = config.training(train_batch_size=512, minibatch_size=128, num_epochs=2).build_algo()
result = algorithm.train()  # an action that is not legal is replaced by the default one
print(f"points a deal: {result['env_runners']['episode_return_mean']:+.2f}")
algorithm.stop()
