import type { WireError } from '@forge/models';

export function tooLarge(limit: number): WireError {
  const message = `The request is larger than ${limit} bytes. Send less, or raise the proxy's body limit.`;
  return { kind: 'bad_request', status: 413, message };
}

export function unknownEncoding(encoding: string): WireError {
  const message = `This proxy cannot read a body with content-encoding "${encoding.slice(0, 60)}". Send it plain, or as gzip, deflate, br or zstd.`;
  return { kind: 'bad_request', status: 415, message };
}

export function brokenEncoding(encoding: string): WireError {
  const message = `The body is not what content-encoding "${encoding}" says it is, or it is cut off. Send it whole, or plain.`;
  return { kind: 'bad_request', status: 400, message };
}
