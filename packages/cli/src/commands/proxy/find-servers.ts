import { askBackend, type KnownBackend } from './ask-backend.ts';

/** Where model servers usually are: llama-server, Ollama, vLLM, LM Studio. */
const usualAddresses: readonly string[] = [
  'http://127.0.0.1:8080',
  'http://127.0.0.1:11434',
  'http://127.0.0.1:8000',
  'http://127.0.0.1:1234',
];

/** A server on this machine that does not answer within this time has other work. */
const patience = 2_000;

/** The model servers that run here, in the order of their usual addresses. */
export async function findServers({
  addresses = usualAddresses,
  signal,
}: {
  readonly addresses?: readonly string[];
  readonly signal: AbortSignal;
}): Promise<readonly KnownBackend[]> {
  const asked = await Promise.all(
    addresses.map((url) => askBackend({ url, timeout: patience, signal })),
  );
  return asked.filter(isModelServer);
}

/** Something else may listen there: a model server lists its models, or is a kind we know. */
function isModelServer({ reachable, kind, models }: KnownBackend): boolean {
  return reachable && (kind !== 'unknown' || models.length > 0);
}
