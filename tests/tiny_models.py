"""Tiny random models with their tokenizers, created by the tests and saved in the format of transformers.

A llama-like causal model, a T5 and a BERT classifier, each with two layers of width 32 and a tokenizer trained on a few
hundred sentences made from the templates below. The weights are large, so that the next token is never a near tie and
greedy decoding gives the same text in a batch and alone.

Limitations: the texts make no sense, and two versions of torch may draw other weights. Compare with `model.generate`,
never with a text written down in a test.
"""

import re
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

SUBJECTS = ("The minister", "A new report", "The city council", "Our neighbour", "The old bridge", "A national survey")
VERBS = ("said that", "denied that", "shows that", "claims that", "was told that", "does not prove that")
OBJECTS = (
    "the river rose by 12 percent in 2019",
    "taxes were cut for every worker",
    "the vaccine is safe for children",
    "more than 300 schools will close",
    "nobody paid for the photo",
    "the election was held on 3 November 2020",
    "is it true or false? The answer is: true",
    "why did it happen? Because it was cheap, not because it was good",
)
PAD, EOS, UNK = "<pad>", "</s>", "<unk>"
CHAT_TEMPLATE = (
    "{% for m in messages %}<{{ m['role'] }}> {{ m['content'] }}\n{% endfor %}"
    "{% if add_generation_prompt %}<assistant> {% endif %}"
)


def sentences() -> list[str]:
    """Return 288 sentences, always the same."""
    return [f"{subject} {verb} {thing}." for subject, verb, thing in product(SUBJECTS, VERBS, OBJECTS)]


def make_causal(folder: Path, *, context: int = 512, seed: int = 7, words: Sequence[str] = ()) -> Path:
    """Write a llama with a byte-level BPE tokenizer (every text survives a round trip) and a chat template.

    Each of `words` becomes one token.
    """
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=[PAD, EOS], initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator([*sentences(), *(999 * list(words))], trainer)
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token=PAD, eos_token=EOS, model_max_length=context)
    fast.chat_template = CHAT_TEMPLATE
    config = LlamaConfig(
        vocab_size=len(fast), hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, max_position_embeddings=context, initializer_range=0.4, tie_word_embeddings=False,
        pad_token_id=fast.pad_token_id, bos_token_id=None, eos_token_id=fast.eos_token_id,
    )  # fmt: skip
    torch.manual_seed(seed)
    return _save(folder, fast, LlamaForCausalLM(config))


def make_seq2seq(folder: Path, *, context: int = 512, seed: int = 7) -> Path:
    """Write a T5 with a BPE tokenizer over words marked by their leading space, as in the published models."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast, T5Config, T5ForConditionalGeneration

    tokenizer = Tokenizer(models.BPE(unk_token=UNK))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    trainer = trainers.BpeTrainer(vocab_size=300, special_tokens=[PAD, EOS, UNK], show_progress=False)
    tokenizer.train_from_iterator(sentences(), trainer)
    tokenizer.post_processor = processors.TemplateProcessing(single=f"$A {EOS}", special_tokens=[(EOS, 1)])
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token=PAD, eos_token=EOS, unk_token=UNK, model_max_length=context
    )
    config = T5Config(
        vocab_size=len(fast), d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4, pad_token_id=0, eos_token_id=1,
    )  # fmt: skip
    config.decoder_start_token_id = 0
    torch.manual_seed(seed)
    model = T5ForConditionalGeneration(config)
    with torch.no_grad():  # the head is tied to the embeddings: unless the layers speak up, it repeats its last token
        for name, weight in model.named_parameters():
            if weight.ndim == 2 and name != "shared.weight":
                weight.mul_(4.0)
    return _save(folder, fast, model)


def make_bert(folder: Path, num_labels: int = 2, *, seed: int = 7) -> Path:
    """Write a BERT sequence classifier with an uncased word-piece tokenizer (context 512)."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizer

    folder.mkdir(parents=True, exist_ok=True)
    (folder / "vocab.txt").write_text("\n".join(_word_pieces()), encoding="utf-8")
    fast = BertTokenizer(vocab=str(folder / "vocab.txt"), do_lower_case=True, model_max_length=512)
    config = BertConfig(
        vocab_size=len(fast), hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
        max_position_embeddings=512, initializer_range=0.4, pad_token_id=fast.pad_token_id,
    )  # fmt: skip
    config.num_labels = num_labels
    torch.manual_seed(seed)
    return _save(folder, fast, BertForSequenceClassification(config))


def make_longformer(folder: Path, *, positions: int = 256, seed: int = 7) -> Path:
    """Write a Longformer without a head, with an attention window of 8 tokens and the tokenizer of the tiny BERT."""
    import torch
    from transformers import BertTokenizer, LongformerConfig, LongformerModel

    folder.mkdir(parents=True, exist_ok=True)
    (folder / "vocab.txt").write_text("\n".join(_word_pieces()), encoding="utf-8")
    fast = BertTokenizer(vocab=str(folder / "vocab.txt"), do_lower_case=True, model_max_length=positions)
    config = LongformerConfig(
        vocab_size=len(fast), hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
        max_position_embeddings=positions + 1, attention_window=8, initializer_range=0.4, pad_token_id=0,
        type_vocab_size=1, bos_token_id=2, eos_token_id=3, sep_token_id=3,
    )  # fmt: skip
    torch.manual_seed(seed)
    return _save(folder, fast, LongformerModel(config))


def make_t5(folder: Path, *, seed: int = 7) -> Path:
    """Write a T5 whose tokenizer has `true` and `false` as one token each, as T5's own has."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast, T5Config, T5ForConditionalGeneration

    words = [PAD, EOS, UNK, *(f"\u2581{word}" for word in ("true", "false", *_words()))]
    tokenizer = Tokenizer(models.WordLevel({word: place for place, word in enumerate(words)}, unk_token=UNK))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(single=f"$A {EOS}", special_tokens=[(EOS, 1)])
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token=PAD, eos_token=EOS, unk_token=UNK)
    config = T5Config(
        vocab_size=len(fast), d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4, pad_token_id=0, eos_token_id=1,
    )  # fmt: skip
    config.decoder_start_token_id = 0
    torch.manual_seed(seed)
    return _save(folder, fast, T5ForConditionalGeneration(config))


def _words() -> list[str]:
    """Return the words of all sentences, with and without punctuation, and those of the listwise layout."""
    marked = set(" ".join(sentences()).split())
    layout = {"hypothesis:", ".", *(f"sentence{number}:" for number in range(1, 11))}
    return sorted((marked | {word.rstrip(".?,") for word in marked} | layout) - {"true", "false"})


def _word_pieces() -> list[str]:
    """Return a vocabulary of words and letters. The library's trainer would break ties differently in each process."""
    text = " ".join(sentences()).lower()
    letters = sorted(set(text) - {" "} | set("abcdefghijklmnopqrstuvwxyz0123456789"))
    words = sorted(set(re.findall(r"\w\w+", text)))
    return ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *(f"##{letter}" for letter in letters), *words]


def _save(folder: Path, tokenizer: Any, model: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save_pretrained(folder)
    model.eval().save_pretrained(folder)
    return folder
