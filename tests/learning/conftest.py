"""One thread: the tensors of these tests are tiny."""

import torch

torch.set_num_threads(1)
