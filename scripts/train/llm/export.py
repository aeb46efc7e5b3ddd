"""Weights and tokenizer -> one GGUF file, matrices in Q8_0, chat template inside."""

import json
from pathlib import Path

import gguf
import numpy as np
from tokenizers import Tokenizer

from model import Llama
from tokenizer import END, PAD, SPECIALS, TEMPLATE, TOOL_SPECIALS

NAMES = {
    "attention_norm": "attn_norm", "query.weight": "attn_q", "key.weight": "attn_k", "value.weight": "attn_v", "output.weight": "attn_output",
    "feed_norm": "ffn_norm", "gate.weight": "ffn_gate", "up.weight": "ffn_up", "down.weight": "ffn_down",
}


def gguf_name(name: str) -> str:
    if name == "embedding.weight":
        return "token_embd.weight"
    if name == "final_norm":
        return "output_norm.weight"
    _, layer, rest = name.split(".", 2)
    return f"blk.{layer}.{NAMES[rest]}.weight"


def write_tokenizer(writer: gguf.GGUFWriter, tokenizer: Tokenizer) -> None:
    content = json.loads(tokenizer.to_str())["model"]
    tokens = sorted(content["vocab"], key=content["vocab"].get)
    merges = [" ".join(m) if isinstance(m, list) else m for m in content["merges"]]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(tokens)
    writer.add_token_types([gguf.TokenType.CONTROL if t in (*SPECIALS, *TOOL_SPECIALS) else gguf.TokenType.NORMAL for t in tokens])
    writer.add_token_merges(merges)
    writer.add_bos_token_id(content["vocab"][PAD])
    writer.add_eos_token_id(content["vocab"][END])
    writer.add_eot_token_id(content["vocab"][END])
    writer.add_pad_token_id(content["vocab"][PAD])
    writer.add_add_bos_token(False)
    writer.add_add_eos_token(False)
    writer.add_chat_template(TEMPLATE)


def export(model: Llama, tokenizer: Tokenizer, path: Path) -> None:
    shape = model.shape
    writer = gguf.GGUFWriter(str(path), "llama")
    writer.add_name("Oakvoice starter")
    writer.add_license("cc-by-sa-4.0")
    writer.add_context_length(shape.context)
    writer.add_embedding_length(shape.width)
    writer.add_block_count(shape.layers)
    writer.add_feed_forward_length(shape.hidden)
    writer.add_head_count(shape.heads)
    writer.add_head_count_kv(shape.heads)
    writer.add_rope_dimension_count(shape.head_width)
    writer.add_rope_freq_base(shape.rope_base)
    writer.add_layer_norm_rms_eps(shape.norm_epsilon)
    writer.add_vocab_size(shape.vocabulary)
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_Q8_0)
    write_tokenizer(writer, tokenizer)
    for name, tensor in model.state_dict().items():
        values = tensor.detach().float().cpu().numpy().astype(np.float32)
        if values.ndim == 1:
            writer.add_tensor(gguf_name(name), values)
        else:
            kind = gguf.GGMLQuantizationType.Q8_0
            writer.add_tensor(gguf_name(name), gguf.quants.quantize(values, kind), raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
