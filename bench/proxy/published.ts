/** A figure somebody else published or that was measured apart from this bench. */
export interface PublishedFigure {
  readonly name: string;
  /** Milliseconds it added to the median. */
  readonly addedP50: number | undefined;
  /** Processor microseconds per request. */
  readonly cpu: number;
  readonly source: string;
}

const graviton = 'published, one harness for all of these, 4 Graviton cores';
const here = 'measured on a machine like this one';

/**
 * For the scale of things only: other machines, other requests. Portkey is in both lists, which
 * tells how far the machines are apart.
 */
export const published: readonly PublishedFigure[] = [
  { name: 'AISIX', addedP50: 0.15, cpu: 140, source: graviton },
  { name: 'agentgateway', addedP50: 0.19, cpu: 169, source: graviton },
  { name: 'Kong', addedP50: 0.2, cpu: 210, source: graviton },
  { name: 'Helicone', addedP50: 0.27, cpu: 277, source: graviton },
  { name: 'TensorZero', addedP50: undefined, cpu: 397, source: graviton },
  { name: 'Bifrost', addedP50: 0.52, cpu: 805, source: graviton },
  { name: 'Portkey', addedP50: 1.18, cpu: 1_486, source: graviton },
  { name: 'LiteLLM', addedP50: 6.6, cpu: 6_775, source: graviton },
  { name: 'Python guardrails proxy, 1 tool', addedP50: undefined, cpu: 3_300, source: here },
  { name: 'Python guardrails proxy, 20 tools', addedP50: undefined, cpu: 51_000, source: here },
];
