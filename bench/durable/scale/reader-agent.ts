import { type Agent, defineAgent, defineTool, type Model, type ModelReply } from '@forge/core';

const page = 'A line of the register, as long as lines of registers are. '.repeat(8);
const readPage = defineTool({
  name: 'read_page',
  description: 'Reads a page of the register',
  input: { type: 'object', properties: { page: { type: 'integer' } }, required: ['page'] },
  run: ({ page: number }) => `Page ${String(number)}: ${page}`,
});

/** A conversation that goes on for ever, in a window that twenty pages fill. */
export const reader: Agent = defineAgent({
  name: 'reader',
  instructions: 'Read the register page by page, as many as you are asked for.',
  tools: [readPage],
  standing: true,
  limits: { turns: 1e9 },
  context: { mode: 'manual', tokens: 3_000, warnings: [] },
});

/** Reads as many pages as it was told to, then answers. No page twice: that would be a loop. */
export class PageModel implements Model {
  readonly id = 'reader';
  #pages = 0;
  #next = 0;

  tell(pages: number): void {
    this.#pages = pages;
  }

  async complete(): Promise<ModelReply> {
    const usage = { inputTokens: 2_000, outputTokens: 20 };
    if (this.#pages <= 0) {
      return { content: [{ type: 'text', text: 'Read.' }], finish: 'stop', usage };
    }
    this.#pages -= 1;
    this.#next += 1;
    const args = JSON.stringify({ page: this.#next });
    const call = { type: 'tool_call' as const, id: `c${this.#next}`, name: 'read_page', args };
    return { content: [call], finish: 'tool_calls', usage };
  }
}
