// What scripts/build-native.mjs changes in its copy of whisper.cpp, and why. Figures: docs/decisions/0073-cheaper-decodes.md.

const CHANGES = [
  {
    // whisper.cpp turns flash attention off in the whole model when words are aligned, though the alignment reads the
    // decoder's attention only. On the CPU the encoder gets it back, without padding: the padded keys would be those of an
    // earlier clip (docs/decisions/0072-catalogue.md).
    inFunction: "whisper_build_graph_encoder",
    replace: [
      ["if (wctx.params.flash_attn) {", "if (wctx.params.flash_attn || !wctx.params.use_gpu) {"],
      ["n_ctx_pad = GGML_PAD(n_ctx, 256)", "n_ctx_pad = wctx.params.use_gpu ? GGML_PAD(n_ctx, 256) : n_ctx"],
    ],
  },
  {
    // Only rows that are asked for get scores of all tokens. The alignment of words asks for none.
    inFunction: "whisper_build_graph_decoder",
    replace: [
      ["= ggml_mul_mat(ctx0, model.d_te, cur);", "= oak::scores(ctx0, model.d_te, cur, batch.logits);"],
      ["ggml_build_forward_expand(gf, logits);", "if (logits) ggml_build_forward_expand(gf, logits);"],
    ],
  },
  {
    inFunction: "whisper_decode_internal",
    replace: [
      ["for (int i = 0; i < n_tokens; i++) {", "for (int i = 0, row = 0; i < n_tokens; i++) {"],
      ["sizeof(float)*(n_vocab*i), sizeof", "sizeof(float)*n_vocab*row++, sizeof"],
    ],
  },
  {
    // The first token's scores give the probability of no speech: whisper.cpp reads them, but does not ask for them.
    inFunction: "whisper_batch_prep_legacy",
    replace: [["batch.logits[n_tokens - 1] = 1;", "batch.logits[0] = batch.logits[n_tokens - 1] = 1;"]],
  },
  {
    inFunction: "whisper_exp_compute_token_level_timestamps_dtw",
    replace: [
      ["whisper_kv_cache_seq_rm(", "std::fill_n(state->batch.logits, tokens.size(), 0);\n    whisper_kv_cache_seq_rm("],
    ],
  },
  {
    // The same sums in the same order, but eight of them side by side.
    inFunction: "dft",
    replace: [
      [/\{[^]*\}/u, "{ oak::dft(in, N, out, global_cache.cos_vals, global_cache.sin_vals, SIN_COS_N_COUNT); }"],
    ],
  },
];

/** @param {string} text whisper.cpp with ggml's original names */
export function changeWhisper(text) {
  return CHANGES.reduce((changed, { inFunction, replace }) => {
    const body = new RegExp(`^static [^;{}]*\\b${inFunction}\\([^;{]*\\{[^]*?^\\}`, "mu");
    if (!body.test(changed)) throw new Error(`whisper.cpp has changed: it lacks ${inFunction}`);
    return changed.replace(body, (code) =>
      replace.reduce((result, [before, after]) => {
        if (result.split(before).length !== 2) throw new Error(`whisper.cpp's ${inFunction} has changed: "${before}"`);
        return result.replace(before, () => after);
      }, code),
    );
  }, text);
}
