"""The small policy and its GRPO: the only importer of torch, transformers and TRL.

A transformer of two layers over the grammar's words, with random weights from its seed. Of a task it sees one word: its scope.
"""

import logging
import os
import tempfile
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from bot.errors import UsageError
from deeprepo_evals.train.small import grammar
from deeprepo_evals.train.small.plan import Plan
from deeprepo_evals.train.tasks import Task

PAD, END = "<pad>", "<end>"
SEEN = ("whole", "change")  # the words of tasks: their scopes
HIDDEN, LAYERS, HEADS = 64, 2, 4
NEVER = -1e9  # of a word that no program has

Words = list[str]
Pay = Callable[[Sequence[tuple[Task, Words]]], list[float]]


def check() -> None:
    """Raise UsageError where a library is missing."""
    try:
        import torch
        import trl
    except ModuleNotFoundError as error:
        raise UsageError(
            f"{error.name} is not installed: `make train CPU=1` makes an environment that has it and starts this run there"
        ) from error
    del torch, trl


class Policy:
    """Writes programs, and learns from what they are paid."""

    def __init__(self, seed: int) -> None:
        os.environ["HF_HUB_OFFLINE"] = "1"  # nothing is downloaded
        warnings.filterwarnings("ignore", category=FutureWarning, module="transformers")
        for library in ("transformers", "trl", "accelerate"):
            logging.getLogger(library).setLevel(logging.ERROR)
        import torch

        torch.set_num_threads(1)
        torch.manual_seed(seed)
        self.seed = seed
        self.words = (PAD, END, *SEEN, *grammar.WORDS)
        self._reader = _tokenizer(self.words)
        self._model = _model(self.words)
        self.size: int = sum(each.numel() for each in self._model.parameters())

    def write(self, tasks: Sequence[Task], each: int) -> list[Words]:
        """So many programs for each task, drawn as in training."""
        import torch

        given = self._reader([task.scope for task in tasks for _ in range(each)], return_tensors="pt", padding=True)
        self._model.eval()
        torch.manual_seed(self.seed)
        with torch.no_grad():
            made = self._model.generate(**given, do_sample=True, top_k=0, max_new_tokens=grammar.LONGEST)
        return [self._words(row) for row in made[:, given["input_ids"].shape[1] :].tolist()]

    def learn(self, tasks: Sequence[Task], plan: Plan, pay: Pay) -> None:
        """Steps of GRPO over these tasks. Raises what `pay` raises."""
        from datasets import Dataset
        from transformers import PrinterCallback
        from trl import GRPOConfig, GRPOTrainer

        def reward(completion_ids: Sequence[Sequence[int]], task: Sequence[int], **_: Any) -> list[float]:  # noqa: ANN401 - of TRL
            return pay([(tasks[at], self._words(row)) for at, row in zip(task, completion_ids, strict=True)])

        with tempfile.TemporaryDirectory(prefix="deeprepo-small-") as folder:
            how = GRPOConfig(
                output_dir=folder,
                use_cpu=True,
                bf16=False,
                seed=self.seed,
                max_steps=plan.steps,
                per_device_train_batch_size=plan.rollouts,
                num_generations=plan.group,
                max_completion_length=grammar.LONGEST,
                temperature=1.0,
                learning_rate=plan.rate,
                lr_scheduler_type="constant",
                beta=0.0,  # no reference model to stay close to: it would be noise
                gradient_checkpointing=False,
                report_to="none",
                save_strategy="no",
                logging_strategy="no",
                disable_tqdm=True,
            )
            data = Dataset.from_list([{"prompt": task.scope, "task": at} for at, task in enumerate(tasks)])
            trainer = GRPOTrainer(
                model=self._model, reward_funcs=[reward], args=how, train_dataset=data, processing_class=self._reader
            )
            trainer.remove_callback(PrinterCallback)
            trainer.train()

    def _words(self, row: Sequence[int]) -> Words:
        said = [self.words[number] for number in row]
        return said[: said.index(END)] if END in said else [word for word in said if word != PAD]


def _tokenizer(words: Sequence[str]) -> Any:  # noqa: ANN401 - transformers is not here where types are checked
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    reader = Tokenizer(models.WordLevel({word: at for at, word in enumerate(words)}, unk_token=PAD))
    reader.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return PreTrainedTokenizerFast(tokenizer_object=reader, pad_token=PAD, eos_token=END, padding_side="left")


def _model(words: Sequence[str]) -> Any:  # noqa: ANN401 - the same
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    model = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(words),
            hidden_size=HIDDEN,
            intermediate_size=2 * HIDDEN,
            num_hidden_layers=LAYERS,
            num_attention_heads=HEADS,
            max_position_embeddings=32,
            bos_token_id=None,
            eos_token_id=words.index(END),
            pad_token_id=words.index(PAD),
            tie_word_embeddings=False,
        )
    )
    model.generation_config.eos_token_id = [words.index(word) for word in (END, *grammar.ANSWERS)]
    foreign = torch.tensor([word in {PAD, *SEEN} for word in words])
    model.lm_head.register_forward_hook(lambda _module, _inputs, scores: scores.masked_fill(foreign, NEVER))
    return model
