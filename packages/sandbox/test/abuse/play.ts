import { setTimeout as delay } from 'node:timers/promises';
import { ForgeError } from '@forge/core';
import { run } from '../../src/conformance/kit.ts';
import type { Sandbox } from '../../src/sandbox.ts';
import { type AbuseCase, broken, type Verdict } from './abuse-case.ts';
import { type HostPlants, plantHost } from './host-plants.ts';
import { startOn, type Target } from './stage.ts';

/** Plays cases on one backend, one after the other. */
export class Play {
  readonly #target: Target;
  readonly #host: HostPlants;
  /** Of all cases that need none of their own. */
  #shared: Sandbox | undefined;

  private constructor(target: Target, host: HostPlants) {
    this.#target = target;
    this.#host = host;
  }

  /** `env` is the environment of this process: a secret is planted in it. */
  static async open(target: Target, env: NodeJS.ProcessEnv): Promise<Play> {
    try {
      return new Play(target, await plantHost(env));
    } catch (error) {
      await target.close();
      throw error;
    }
  }

  /** The attack, and then whether the sandbox still does what it is for. */
  async run(abuse: AbuseCase): Promise<Verdict> {
    const sandbox = await this.#sandboxFor(abuse);
    try {
      const verdict = await abuse.attempt({ sandbox, host: this.#host });
      return verdict.held ? ((await this.#afterwards(abuse, sandbox)) ?? verdict) : verdict;
    } finally {
      if (sandbox !== this.#shared) await sandbox.stop();
      else if (sandbox.state() !== 'running') this.#shared = undefined;
    }
  }

  async close(): Promise<void> {
    try {
      await this.#target.backend.close();
      await this.#target.close();
    } finally {
      this.#host.remove();
    }
  }

  /** Whether the backend says at the start that it cannot do this. */
  async refuses(abuse: AbuseCase): Promise<boolean> {
    try {
      const sandbox = await startOn(this.#target, abuse.with?.(this.#host));
      await sandbox.stop();
      return false;
    } catch (error) {
      return ForgeError.is(error) && error.code === 'invalid_options';
    }
  }

  async #sandboxFor(abuse: AbuseCase): Promise<Sandbox> {
    const { own, with: more } = abuse;
    if (own !== undefined || more !== undefined) {
      return startOn(this.#target, { ...more?.(this.#host), limits: { ...own } });
    }
    this.#shared ??= await startOn(this.#target);
    return this.#shared;
  }

  async #afterwards({ mayEnd }: AbuseCase, sandbox: Sandbox): Promise<Verdict | undefined> {
    if (!this.#host.victimLives()) return broken('a process of the host was ended');
    if (this.#host.written()) return broken('a file was written on the host');
    if (await answers(sandbox, mayEnd === true ? 2_000 : 60_000)) return undefined;
    if (mayEnd !== true) return broken('the sandbox did not answer afterwards');
    const next = await startOn(this.#target);
    try {
      return (await answers(next, 60_000))
        ? undefined
        : broken('no other sandbox answered afterwards');
    } finally {
      await next.stop();
    }
  }
}

/** What the kernel still has to clean up may refuse a command for a moment. */
async function answers(sandbox: Sandbox, patienceMs: number): Promise<boolean> {
  const late = AbortSignal.timeout(patienceMs);
  while (!late.aborted && sandbox.state() === 'running') {
    const { out } = await run(sandbox, { argv: ['echo', 'fine'], timeoutMs: 5_000 });
    if (out === 'fine\n') return true;
    await delay(100);
  }
  return false;
}
