import type { WireName } from '../../project/proxy-names.ts';

/** The headers by which servers of a wire are told a key. */
export function keyHeaders(
  wire: WireName,
  key: string | undefined,
): Readonly<Record<string, string>> {
  const version: Readonly<Record<string, string>> =
    wire === 'anthropic-messages' ? { 'anthropic-version': '2023-06-01' } : {};
  if (key === undefined) return version;
  switch (wire) {
    case 'anthropic-messages':
      return { ...version, 'x-api-key': key };
    case 'gemini':
      return { 'x-goog-api-key': key };
    default:
      return { authorization: `Bearer ${key}` };
  }
}
