import { messageOf, type RunEvent } from '@forge/core';
import type { ApprovalView } from '@forge/runtime';
import { type BrokenEvent, isBroken } from '@forge/store';
import type { CommandContext } from '../context.ts';
import type { Reporter } from '../progress/reporter.ts';
import { createQuestions } from '../questions.ts';
import type { Workshop } from '../workshop/workshop.ts';
import { approvalCard } from './approval-card.ts';
import { askDecision } from './ask-decision.ts';
import { decider } from './decider.ts';
import { deploymentPreview } from './deployment-preview.ts';

/** Calls of tools that people answer ask for something too, and there is no event of its own. */
const asking: ReadonlySet<RunEvent['type']> = new Set([
  'approval.requested',
  'question.asked',
  'tool.started',
]);

/**
 * What a family asks people for while it is watched: asked about right there where somebody sits at
 * the terminal, else told with the command that decides it.
 */
export class ApprovalDesk {
  readonly #workshop: Workshop;
  readonly #context: CommandContext;
  readonly #reporter: Reporter;
  readonly #rootId: string;
  readonly #signal: AbortSignal;
  readonly #seen = new Set<string>();
  #canAsk: boolean;
  #isDue = false;
  #work: Promise<void> | undefined;

  constructor(options: {
    readonly workshop: Workshop;
    readonly context: CommandContext;
    readonly reporter: Reporter;
    readonly rootId: string;
    readonly signal: AbortSignal;
  }) {
    this.#workshop = options.workshop;
    this.#context = options.context;
    this.#reporter = options.reporter;
    this.#rootId = options.rootId;
    this.#signal = options.signal;
    this.#canAsk = sitsSomebody(options.context);
  }

  /** An event came: look whether something is asked. */
  event(event: RunEvent | BrokenEvent): void {
    if (isBroken(event) || !asking.has(event.type)) return;
    this.#isDue = true;
    this.#work ??= this.#look().finally(() => {
      this.#work = undefined;
    });
  }

  /** Resolves when nothing is being asked. */
  async close(): Promise<void> {
    await this.#work;
  }

  async #look(): Promise<void> {
    try {
      while (this.#isDue && !this.#signal.aborted) {
        this.#isDue = false;
        const filter = { state: 'pending', rootId: this.#rootId } as const;
        const { items } = await (await this.#workshop.approvals()).list(filter, { limit: 100 });
        // Oldest first.
        for (const view of items.toReversed()) {
          if (this.#seen.has(view.id) || view.state !== 'pending') continue;
          this.#seen.add(view.id);
          if (this.#canAsk) await this.#ask(view);
          else await this.#tell(view);
          if (this.#signal.aborted) return;
        }
      }
    } catch (error) {
      if (!this.#signal.aborted) this.#reporter.note(`forge: ${messageOf(error)}`);
    }
  }

  async #ask(view: ApprovalView): Promise<void> {
    const { terminal: getTerminal, stdin } = this.#context;
    const terminal = getTerminal();
    this.#reporter.suspend();
    const questions = createQuestions({ terminal, stdin, signal: this.#signal });
    try {
      const preview = await this.#preview(view);
      for (const line of [...approvalCard(view, terminal), ...preview]) terminal.err(line);
      const decision = await askDecision(view, questions);
      if (decision === 'later') await this.#tell(view);
      else await (await this.#workshop.approvals()).decide([decision], decider());
    } catch (error) {
      if (this.#signal.aborted) return;
      // Nobody is there any more, or somebody was faster: it can still be decided elsewhere.
      this.#canAsk = sitsSomebody(this.#context) && !hasEnded(stdin);
      terminal.err(`forge: ${messageOf(error)}`);
    } finally {
      questions.close();
      this.#reporter.resume();
    }
  }

  #preview(view: ApprovalView): Promise<readonly string[]> {
    return deploymentPreview(view, { store: this.#workshop.store, signal: this.#signal });
  }

  async #tell(view: ApprovalView): Promise<void> {
    const { terminal } = this.#context;
    const card = approvalCard(view, { style: terminal().screen.style });
    for (const line of [...card, ...(await this.#preview(view))]) this.#reporter.note(line);
    this.#reporter.note(`  Decide it with: forge approve "${view.id}", or forge deny "${view.id}"`);
  }
}

/** Somebody who sees what is printed, and can type. */
function sitsSomebody({ terminal: getTerminal, stdin }: CommandContext): boolean {
  const { interactive, screen } = getTerminal();
  return interactive && screen.canRedraw && 'isTTY' in stdin && stdin.isTTY === true;
}

function hasEnded(stdin: NodeJS.ReadableStream): boolean {
  return 'readableEnded' in stdin && stdin.readableEnded === true;
}
