"""TorchRL learns one seat of hearts-short by REINFORCE. Install: pip install torchrl (with PyTorch)."""

import torch
from tensordict.nn import ProbabilisticTensorDictModule, ProbabilisticTensorDictSequential, TensorDictModule
from torchrl.envs import GymEnv
from torchrl.modules import MLP, MaskedCategorical

NAME = "pigpen.learn.registered:Pigpen/HeartsShort-v0"
env = GymEnv(NAME, mask_in_observation=True, categorical_action_encoding=True, device="cpu")
mlp = MLP(in_features=env.observation_spec["observation"].shape[0], out_features=54, num_cells=[128])
net = TensorDictModule(
    lambda seen, mask: (mlp(seen.float()), mask.bool()), ["observation", "action_mask"], ["logits", "mask"]
)
choose = ProbabilisticTensorDictModule(["logits", "mask"], ["action"], distribution_class=MaskedCategorical)
policy, optimizer = ProbabilisticTensorDictSequential(net, choose), torch.optim.Adam(mlp.parameters(), 1e-3)
for _ in range(20):
    deals = [env.rollout(100, policy) for _ in range(8)]
    points = torch.stack([deal["next", "reward"].sum() for deal in deals])
    chances = torch.stack([policy.get_dist(deal).log_prob(deal["action"]).sum() for deal in deals])
    loss = -(chances * (points - points.mean())).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"points a deal: {points.mean():+.2f} ± {points.std() / len(points) ** 0.5:.2f}")
