"""The recipe of a training: all that flags can set. The same recipe on the same data gives the same weights."""

import msgspec

Setting = str | int | float | bool | None


class Recipe(msgspec.Struct, frozen=True):
    """The settings of a training.

    A step is one update from `batch` examples. `steps` 0 means as many steps as `epochs` make; otherwise `epochs` is
    ignored. `tokens` limits the padded tokens that go through the model at once. `warmup` is the share of steps in
    which the learning rate rises; then it falls linearly to 0. `rank` 0 trains all weights but the word embeddings.
    Otherwise LoRA (Hu et al. 2022) with scale `alpha / rank` is trained on the linear maps named in `targets`
    ("all-linear": all but the head), from layer `first_layer` on. Layers below it need no gradients. The held-out score
    is taken every `every` steps. Training ends after `patience` scores in a row that are no better, or after
    `max_minutes`. `options` are the task's settings. Gradients are clipped at norm 1, the Trainer's default.
    """

    name: str
    base: str
    seed: int = 0
    epochs: float = 1.0
    steps: int = 0
    batch: int = 16
    tokens: int = 2048
    learning_rate: float = 2e-4
    warmup: float = 0.06
    weight_decay: float = 0.01
    rank: int = 16
    alpha: int = 32
    dropout: float = 0.0
    targets: tuple[str, ...] = ("all-linear",)
    first_layer: int = 0
    max_length: int = 256
    every: int = 50
    patience: int = 4
    share: float = 1.0
    max_minutes: float | None = None
    options: dict[str, Setting] = {}
