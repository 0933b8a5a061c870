import { isIP } from 'node:net';
import { ForgeError } from '@forge/core';

export interface Address {
  readonly host: string;
  readonly port: number;
  /** Only programs of this machine can reach it. */
  readonly isLoopback: boolean;
}

/** An address to listen on or to call: `127.0.0.1:0`, `[::1]:7070`, `localhost:7070`. */
export function readAddress(text: string): Address {
  const found = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text);
  const host = found?.[1] ?? found?.[2];
  const port = Number(found?.[3]);
  if (host === undefined || port > 65_535 || (found?.[1] !== undefined && isIP(host) !== 6)) {
    throw new ForgeError(
      'invalid_options',
      `"${text}" is no address. Write it as HOST:PORT, such as 127.0.0.1:7070 or [::1]:7070.`,
    );
  }
  const isLoopback = host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
  return { host, port, isLoopback };
}

/** As it is written in an address. */
export function writeHost(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}
