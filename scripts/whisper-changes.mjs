// The changes that scripts/build-native.mjs makes in its copy of whisper.cpp, with the reasons. Figures: docs/decisions/0073-cheaper-decodes.md.

const CHANGES = [
  {
    // The CPU computes with 8 bits where the file has 5. whisper.cpp wants one type in the file and in memory.
    inFunction: "whisper_model_load",
    replace: [
      [
        "wctx.wtype = ggml_ftype_to_ggml_type((ggml_ftype) (model.hparams.ftype));",
        "wctx.wtype = oak::computed_type(ggml_ftype_to_ggml_type((ggml_ftype) (model.hparams.ftype)), wctx.params.use_gpu);",
      ],
      [
        "const size_t bpe = ggml_type_size(ggml_type(ttype));",
        `if (oak::computed_type(ggml_type(ttype), wctx.params.use_gpu) == tensor->type && ttype != tensor->type) {
                oak::load_converted(loader, ggml_type(ttype), tensor);
                total_size += ggml_nbytes(tensor);
                model.n_loaded++;
                continue;
            }

            const size_t bpe = ggml_type_size(ggml_type(ttype));`,
      ],
    ],
  },
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
    // The encoder's output may come from JavaScript, as it comes from other libraries in whisper.cpp.
    inFunction: "whisper_encode_external",
    replace: [["return use_coreml", "return oak::encoded || use_coreml"]],
  },
  {
    inFunction: "whisper_encode_internal",
    replace: [
      [
        "            ggml_backend_sched_reset(sched);",
        "            oak::read_encoded(wstate.embd_enc);\n            ggml_backend_sched_reset(sched);",
      ],
    ],
  },
  {
    // Only rows that are asked for get scores. The alignment of words asks for none.
    inFunction: "whisper_build_graph_decoder",
    replace: [
      ["= ggml_mul_mat(ctx0, model.d_te, cur);", "= oak::scores(ctx0, model.d_te, cur, batch.logits);"],
      ["ggml_build_forward_expand(gf, logits);", "if (logits) ggml_build_forward_expand(gf, logits);"],
    ],
  },
  {
    inFunction: "whisper_decode_internal",
    replace: [
      ["batch, save_alignment_heads_QKs, false);", "batch, save_alignment_heads_QKs || keeps_attention, false);"],
      [
        "    // find KV slot",
        "    const bool keeps_attention = oak::aligns_words && wctx.params.dtw_token_timestamps && batch.seq_id[n_tokens - 1][0] == 0;\n\n    // find KV slot",
      ],
      [
        "    logits_out.resize(",
        "    if (keeps_attention) oak::keep_attention(wstate.aheads_cross_QKs, batch.token, batch.pos[0]);\n    logits_out.resize(",
      ],
      ["for (int i = 0; i < n_tokens; i++) {", "for (int i = 0, row = 0; i < n_tokens; i++) {"],
      [
        "    if (batch.n_tokens == 1) {",
        "    if (batch.seq_id[0][0] == 0)\n        oak::keep_scores(batch.token, n_tokens, batch.pos[0], &logits_out[n_vocab*(n_tokens - 1)], n_vocab);\n    if (batch.n_tokens == 1) {",
      ],
      [
        "logits_out.data() + (n_vocab*i), sizeof(float)*(n_vocab*i),",
        "logits_out.data() + (n_vocab*i), sizeof(float)*(n_vocab*row++),",
      ],
    ],
  },
  {
    // Words of a second opinion have the times of the first.
    inFunction: "whisper_full_with_state",
    replace: [
      [
        "if (ctx->params.dtw_token_timestamps && n_segments) {",
        "if (oak::aligns_words && ctx->params.dtw_token_timestamps && n_segments) {",
      ],
    ],
  },
  {
    // The first token's scores give the probability of no speech: whisper.cpp reads them, but does not ask for them.
    inFunction: "whisper_batch_prep_legacy",
    replace: [["batch.logits[n_tokens - 1] = 1;", "batch.logits[0] = batch.logits[n_tokens - 1] = 1;"]],
  },
  {
    // The words' attention is kept from the decoding: only the end of the text is decoded for the alignment, without scores.
    inFunction: "whisper_exp_compute_token_level_timestamps_dtw",
    replace: [
      [
        /whisper_kv_cache_clear\([^]*?whisper_kv_cache_seq_rm\([^;]*;/u,
        `const bool resumes = oak::lacks_last_token(tokens);
    if (!resumes) whisper_kv_cache_clear(state->kv_self);
    const int first = resumes ? tokens.size() - 1 : 0;
    whisper_batch_prep_legacy(state->batch, &tokens[first], tokens.size() - first, first, 0);
    std::fill_n(state->batch.logits, tokens.size() - first, 0);`,
      ],
      ["state->aheads_cross_QKs->ne[0]", "tokens.size()"],
      [/ggml_backend_tensor_get\([^;]*;/u, "oak::read_attention(data.data());"],
    ],
  },
  {
    // A beam goes on with the best tokens. whisper.cpp draws them at random, often one token several times.
    inFunction: "whisper_sample_token_topk",
    replace: [
      ["std::discrete_distribution<> dist(probs.begin(), probs.end());", ""],
      ["const auto id = dist(decoder.rng);", "const auto id = logits_id[i].second;"],
    ],
  },
  {
    // The same sums in the same order, but vectorised.
    inFunction: "dft",
    replace: [
      [/\{[^]*\}/u, "{ oak::dft(in, N, out, global_cache.cos_vals, global_cache.sin_vals, SIN_COS_N_COUNT); }"],
    ],
  },
];

/** @param {string} text whisper.cpp with ggml's original names */
export function changeWhisper(text) {
  return CHANGES.reduce((changed, { inFunction, replace }) => {
    const body = new RegExp(`^(?:static |int )[^;{}]*\\b${inFunction}\\([^;{]*\\{[^]*?^\\}`, "mu");
    if (!body.test(changed)) throw new Error(`whisper.cpp has changed: it lacks ${inFunction}`);
    return changed.replace(body, (code) =>
      replace.reduce((result, [before, after]) => {
        if (result.split(before).length !== 2) throw new Error(`whisper.cpp's ${inFunction} has changed: "${before}"`);
        return result.replace(before, () => after);
      }, code),
    );
  }, text);
}
