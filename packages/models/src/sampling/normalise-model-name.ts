/** How weights were squeezed says nothing about how to sample from them. */
const quantisation =
  /[-.:@_](ud-)?(i?q\d+(_[a-z0-9]+)*|bf16|f16|fp16|f32|fp8|fp4|nvfp4|mxfp4|awq|gptq|int4|int8|[48]bit|qat|gguf|mlx)$/;

/**
 * One spelling for the names a model goes by: `qwen3:8b`, `Qwen3-8B-Q4_K_M`,
 * `hf.co/unsloth/Qwen3-8B-GGUF:Q4_K_M` and `/models/Qwen3-8B-Q8_0.gguf` are all `qwen-3-8b`.
 */
export function normaliseModelName(name: string): string {
  // Tidying may bring a suffix to light; each round after the first only takes something away.
  for (let rest = name; ; ) {
    const tidier = tidy(rest);
    if (tidier === rest) return rest;
    rest = tidier;
  }
}

function tidy(name: string): string {
  const path = name.trim().toLowerCase();
  return path
    .slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
    .replace(/\.gguf$/, '')
    .replace(/-\d{5}-of-\d{5}$/, '')
    .replace(/:latest$/, '')
    .replace(quantisation, '')
    .replace(/[:_@ ]+/g, '-')
    .replace(/(?<=[a-z]{2})(?=\d)/g, '-')
    .replace(/-+/g, '-')
    .replace(/^-|-$/g, '');
}
