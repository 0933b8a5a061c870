import type { Channel } from './channel.ts';

/** A sandbox that does not answer for so long is broken. */
const answerMs = 10_000;

/** The channel that is never busy with a command: it kills, looks around and counts. */
export class Control {
  readonly #channel: Channel;
  readonly #nonce: () => string;
  #line: Promise<unknown> = Promise.resolve();

  constructor(channel: Channel, nonce: () => string) {
    this.#channel = channel;
    this.#nonce = nonce;
  }

  get pid(): number {
    return this.#channel.pid;
  }

  /** Kills the session's first process and its group. The rest is swept up at the command's end. */
  kill(session: number): void {
    this.#channel.send(`kill -9 -${session} 2>/dev/null || kill -9 ${session} 2>/dev/null`);
  }

  /** Asks the session's first process and its group to end. */
  terminate(session: number): void {
    this.#channel.send(`kill -TERM -${session} 2>/dev/null`);
  }

  /** Kills all that runs as the commands' user, this channel alone excepted. */
  killAll(): void {
    this.#channel.send('kill -9 -1 2>/dev/null');
  }

  /** One round. `killed` is empty once nothing is left that has no business here. */
  async sweep({
    known,
    only,
  }: Sweep): Promise<{ readonly killed: number[]; readonly stray: boolean }> {
    const { id = '', session = 0, loop = 0 } = only ?? {};
    const [, stray, ...killed] = await this.#ask(
      (nonce) => `_sweep ${nonce} '${known.join(' ')}' '${id}' ${session} ${loop}`,
    );
    return { killed: killed.map(Number), stray: stray === '1' };
  }

  async memoryKills(): Promise<number | undefined> {
    const [, count] = await this.#ask((nonce) => `_oom ${nonce}`);
    return count === undefined || count === '' ? undefined : Number(count);
  }

  #ask(line: (nonce: string) => string): Promise<readonly string[]> {
    const answer = this.#line.then(() => this.#exchange(line));
    this.#line = answer.catch(() => {});
    return answer;
  }

  #exchange(line: (nonce: string) => string): Promise<readonly string[]> {
    const nonce = this.#nonce();
    const { promise, resolve, reject } = Promise.withResolvers<readonly string[]>();
    const timer = setTimeout(() => this.#channel.close(), answerMs);
    this.#channel.listen({
      nonce,
      mark: (_stream, words) => resolve(words),
      closed: () => reject(new Error('the control channel ended')),
    });
    this.#channel.send(line(nonce));
    return promise.finally(() => {
      clearTimeout(timer);
      this.#channel.release();
    });
  }
}

export interface Sweep {
  /** Processes that are not a command's: the sandbox's own and the loops. */
  readonly known: readonly number[];
  /**
   * The command that has ended, and the loop it ran on: others are under way and left alone. Without
   * it, all that is not known goes.
   */
  readonly only?: {
    readonly id: string;
    readonly session?: number | undefined;
    readonly loop: number;
  };
}
