import { ForgeError, messageOf, untilAborted } from '@forge/core';
import {
  type KeptTree,
  type LeftOut,
  type LookLimits,
  openTree,
  type Sandbox,
  type SandboxBackend,
  type SandboxOptions,
} from '@forge/sandbox';
import { changedPaths } from './read-commits.ts';
import { type GroundOptions, RunGround } from './run-ground.ts';

/** The tree of a run as it was kept. */
export interface Checkpoint {
  /** On the commit the run began with, and that one itself while nothing differs from it. */
  readonly commit: string;
  readonly tree: string;
  /** What differs from the commit the run began with. */
  readonly files: readonly string[];
  /** Whether something differs from what was kept before. */
  readonly changed: boolean;
}

/** Something about a run's tree that a person should be able to see. */
export interface WorkspaceNotice {
  readonly type: 'sandbox_replaced' | 'left_out' | 'refused' | 'complaint';
  readonly runId: string;
  readonly message: string;
}

export interface RunWorkspaceOptions extends GroundOptions {
  readonly backend: () => Promise<SandboxBackend>;
  readonly sandboxOptions: (runId: string) => SandboxOptions;
  readonly lookLimits: Partial<LookLimits>;
  readonly onNotice: (notice: WorkspaceNotice) => void;
}

interface Live {
  readonly sandbox: Sandbox;
  readonly tree: KeptTree;
}

/** For the model, before the result of its first call in a sandbox that is not the one it knew. */
const newSandbox =
  '[This is a new sandbox. The files are as they were kept after the last call that changed them; ignored files (such as installed packages), background jobs and everything outside the workspace are gone.]';

/** What is shared goes on for the others when one of those who wait gives up. */
function whileWanted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  return signal === undefined ? work : untilAborted(() => work, signal);
}

/** The tree of one run: in a sandbox while it is worked on, as a commit always. */
export class RunWorkspace {
  /** Calls under way that may change files. */
  changing = 0;
  /** Background jobs were started: files may change at any time. */
  hasJobs = false;
  /** Something may have changed that was not kept. */
  isUnsure = false;
  readonly #options: RunWorkspaceOptions;
  #ground: Promise<RunGround> | undefined;
  #live: Live | undefined;
  #opening: Promise<Live> | undefined;
  #note = '';
  /** Keeps go one after another. */
  #last: Promise<unknown> = Promise.resolve();
  /** A keep that has not begun: whoever asks meanwhile shares it. */
  #next: { readonly messages: Set<string>; readonly done: Promise<Checkpoint> } | undefined;
  #released = false;

  constructor(options: RunWorkspaceOptions) {
    this.#options = options;
  }

  /** The run's sandbox. One that has ended is replaced by a new one, with what was kept last. */
  async sandbox(signal?: AbortSignal): Promise<Sandbox> {
    if (this.#live?.sandbox.state() === 'running') return this.#live.sandbox;
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
    });
    return (await whileWanted(this.#opening, signal)).sandbox;
  }

  /** Keeps the tree as it is now. Those that ask while another keep runs share the next one. */
  keep(message: string, signal?: AbortSignal): Promise<Checkpoint> {
    if (this.#next !== undefined) {
      this.#next.messages.add(message);
      return whileWanted(this.#next.done, signal);
    }
    const messages = new Set([message]);
    const done = this.#inTurn(() => {
      this.#next = undefined;
      return this.#keep([...messages].slice(0, 10).join('; '), false);
    });
    this.#next = { messages, done };
    return whileWanted(done, signal);
  }

  /** Keeps the tree as it is now, in a commit with exactly that message. */
  commit(message: string, signal?: AbortSignal): Promise<Checkpoint> {
    return whileWanted(
      this.#inTurn(() => this.#keep(message, true)),
      signal,
    );
  }

  async start(): Promise<{ readonly path: string; readonly base: string }> {
    const { repo, start } = await this.#standOn();
    return { path: repo, base: start.commit };
  }

  /** What the model should hear about its sandbox, once. */
  takeNote(): string | undefined {
    const note = this.#note;
    this.#note = '';
    return note === '' ? undefined : note;
  }

  /** Ends the sandbox, once a keep that is under way is done. What was kept stays. */
  async release(): Promise<void> {
    this.#released = true;
    await this.#last;
    await this.#opening?.catch(() => undefined);
    try {
      await this.#live?.sandbox.stop();
    } finally {
      const ground = await this.#ground?.catch(() => undefined);
      await ground?.git.close();
    }
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #standOn(): Promise<RunGround> {
    this.#checkHeld();
    this.#ground ??= RunGround.find(this.#options).catch((error: unknown) => {
      this.#ground = undefined;
      throw error;
    });
    return this.#ground;
  }

  #checkHeld(): void {
    if (!this.#released) return;
    throw new ForgeError('not_running', 'The workspace of this run was released.');
  }

  async #open(): Promise<Live> {
    const died = this.#live !== undefined;
    try {
      this.#live = await this.#begin(died);
    } catch (error) {
      if (!died || this.#released) throw error;
      throw new ForgeError(
        'sandbox_failed',
        `Sandbox died and could not be restarted: ${messageOf(error)}`,
        { cause: error },
      );
    }
    if (died) this.#notice('sandbox_replaced', 'The sandbox ended and was started again.');
    return this.#live;
  }

  async #begin(died: boolean): Promise<Live> {
    const { backend, sandboxOptions, runId, lookLimits } = this.#options;
    const ground = await this.#standOn();
    await ground.refresh();
    const options = sandboxOptions(runId);
    const labels = { ...options.labels, 'forge.run': runId };
    const sandbox = await (await backend()).start({ ...options, labels });
    try {
      const [start, from] = [ground.start.commit, ground.last.commit];
      const { git } = ground;
      const { tree, leftOut } = await openTree({ sandbox, git, start, from, lookLimits });
      this.#checkHeld();
      this.#note = [
        ...(died || ground.isKept ? [newSandbox] : []),
        ...ground.conflicts.map(({ problem }) => `[What you build on is not all here. ${problem}]`),
      ].join('\n');
      this.hasJobs = false;
      this.isUnsure = false;
      this.#sayLeftOut(leftOut);
      for (const { task, files } of ground.conflicts) {
        const places = files.slice(0, 10).join(', ');
        this.#notice('left_out', `${task}, which it builds on, does not fit the rest: ${places}.`);
      }
      return { sandbox, tree };
    } catch (error) {
      await sandbox.stop();
      throw error;
    }
  }

  async #keep(message: string, exactly: boolean): Promise<Checkpoint> {
    const ground = await this.#standOn();
    const tree = await this.#currentTree(ground);
    const changed = tree !== ground.last.tree;
    const asked = { from: ground.start.tree, to: tree };
    const [, files] = await Promise.all([
      ground.keep(tree, message, exactly),
      changedPaths(ground.git, asked),
    ]).catch(async (error: unknown) => {
      // The next call begins a sandbox with what the other one kept.
      if (ForgeError.is(error, 'seq_conflict')) await this.#live?.sandbox.stop();
      throw error;
    });
    return { commit: ground.last.commit, tree, files, changed };
  }

  /** What is in the sandbox; without one, what was kept last. */
  async #currentTree(ground: RunGround): Promise<string> {
    if (this.#live === undefined) return ground.last.tree;
    if (this.#live.sandbox.state() !== 'running') {
      throw new ForgeError(
        'not_running',
        'The sandbox ended before its files were kept. The next call begins a new one, with what was kept last.',
      );
    }
    const { onStep } = this.#options;
    onStep('begun');
    const { tree, refused, complaint } = await this.#live.tree.keep();
    onStep('written');
    if (refused.length > 0) {
      const names = refused.slice(0, 10).join(', ');
      this.#notice('refused', `Git takes no files of these names, so they are not kept: ${names}.`);
    } else if (complaint !== '') {
      this.#notice('complaint', `Git in the sandbox said: ${complaint.trim()}`);
    }
    return tree;
  }

  #sayLeftOut({ submodules, largeFiles }: LeftOut): void {
    if (submodules.length > 0) {
      const names = submodules.slice(0, 10).join(', ');
      this.#notice('left_out', `Submodules are empty folders in the sandbox: ${names}.`);
    }
    if (largeFiles) {
      this.#notice('left_out', 'Files of Git LFS are only their pointers in the sandbox.');
    }
  }

  #notice(type: WorkspaceNotice['type'], message: string): void {
    this.#options.onNotice({ type, runId: this.#options.runId, message });
  }
}
