/** How weights were squeezed says nothing about how to sample from them. */
const quantisation =
  /[-.:@_](ud-)?(i?q\d+(_[a-z0-9]+)*|bf16|f16|fp16|f32|fp8|fp4|nvfp4|mxfp4|awq|gptq|int4|int8|[48]bit|qat|gguf|mlx)$/;

/**
 * One spelling for the names a model goes by: `qwen3:8b`, `Qwen3-8B-Q4_K_M`,
 * `hf.co/unsloth/Qwen3-8B-GGUF:Q4_K_M` and `/models/Qwen3-8B-Q8_0.gguf` are all `qwen-3-8b`.
 */
export function normaliseModelName(name: string): string {
  let rest = name.trim().toLowerCase();
  rest = rest.slice(Math.max(rest.lastIndexOf('/'), rest.lastIndexOf('\\')) + 1);
  rest = rest
    .replace(/\.gguf$/, '')
    .replace(/-\d{5}-of-\d{5}$/, '')
    .replace(/:latest$/, '');
  for (let before = ''; before !== rest; ) {
    before = rest;
    rest = rest.replace(quantisation, '');
  }
  return rest
    .replace(/[:_@ ]+/g, '-')
    .replace(/(?<=[a-z]{2})(?=\d)/g, '-')
    .replace(/-+/g, '-')
    .replace(/^-|-$/g, '');
}
