import { messageOf } from '@forge/core';
import { deployFailed } from '../deploy-failed.ts';
import type { Address, Opened, ReverseProxy } from '../proxy/reverse-proxy.ts';
import { sleep } from '../sleep.ts';
import { describePortProblem } from './free-port.ts';

const againEvery = 1_000;

/** Where the proxy listens: chosen, moved, and had again after a keeper was killed. */
export class PublicDoor {
  readonly #proxy: ReverseProxy;
  readonly #closing: AbortSignal;
  #failure: string | undefined;

  constructor(proxy: ReverseProxy, closing: AbortSignal) {
    this.#proxy = proxy;
    this.#closing = closing;
  }

  /** Why nobody can come in; undefined if all is well. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /**
   * Listens there, also if that is where it is. Port 0: where it was before, else anywhere. Resolves
   * with the address, and with what lets go of the one before, or of this one.
   */
  async open({ host, port }: Address, before: Address): Promise<Opened> {
    const { address } = this.#proxy;
    const wanted = port === 0 && host === before.host ? before.port : port;
    if (address !== undefined && address.host === host && address.port === wanted) {
      return { address, leave: () => {}, undo: async () => {} };
    }
    try {
      return await this.#listen({ host, port: wanted });
    } catch (error) {
      // One that was chosen for its being free may be chosen again.
      if (port === 0 && wanted !== 0) return await this.#listen({ host, port: 0 });
      throw deployFailed(explain({ host, port: wanted }, error), { cause: error });
    }
  }

  /** Where it was. What took the port in the meantime may go again: it is tried until it is had. */
  async openAgain(
    address: Address,
    inTurn: (work: () => Promise<void>) => Promise<void>,
  ): Promise<void> {
    try {
      await this.#listen(address);
    } catch (error) {
      this.#failure = explain(address, error);
      const retry = async () => {
        await sleep(againEvery, this.#closing);
        await inTurn(async () => {
          if (this.#proxy.address === undefined) await this.openAgain(address, inTurn);
        });
      };
      retry().catch(() => {}); // The keeper ends.
    }
  }

  async #listen(address: Address): Promise<Opened> {
    const opened = await this.#proxy.listen(address);
    this.#failure = undefined;
    return opened;
  }
}

function explain(address: Address, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : messageOf(error);
  const { problem, fix } = describePortProblem(address, code);
  return `${problem} ${fix}`;
}
