import assert from 'node:assert/strict';
import { after, before, describe } from 'node:test';
import { type JsonObject, performTool, type Tool, type ToolContext } from '@forge/core';
import {
  createBubblewrapBackend,
  createProcessBackend,
  type Sandbox,
  type SandboxBackend,
} from '@forge/sandbox';
import { makeTestBackend } from '@forge/sandbox/testing';
import { type CreateToolsOptions, createTools } from './create-tools.ts';

/** Every kind of sandbox that the tools are tried on. One that is not there fails its tests. */
const makers: Readonly<Record<string, () => Promise<SandboxBackend>>> = {
  process: async () => createProcessBackend({ trusted: true }),
  bubblewrap: async () => createBubblewrapBackend(),
  docker: makeTestBackend,
};

export interface Called {
  readonly outcome: string;
  readonly text: string;
  readonly content: Awaited<ReturnType<typeof performTool>>['content'];
}

export interface Kit {
  readonly sandbox: Sandbox;
  readonly tools: readonly Tool[];
  /** Calls a tool as a run does. */
  call(name: string, args: JsonObject): Promise<Called>;
  /** What the tool said. Fails unless the call went well. */
  ok(name: string, args: JsonObject): Promise<string>;
  /** What the tool said against it. Fails if the call went well. */
  fails(name: string, args: JsonObject): Promise<string>;
  /** Runs a script inside, which has to succeed. */
  inside(script: string): Promise<string>;
}

/** Defines tests for each kind of sandbox; `kit` may be called in tests only. */
export function onEverySandbox(
  name: string,
  define: (kit: () => Kit, backend: string) => void,
  options: Partial<CreateToolsOptions> = {},
): void {
  for (const [backend, make] of Object.entries(makers)) {
    describe(`${name} (${backend})`, () => {
      let made: SandboxBackend | undefined;
      let kit: Kit | undefined;
      before(async () => {
        made = await make();
        const probe = await made.probe();
        assert.ok(probe.available, 'problem' in probe ? `${probe.problem} ${probe.fix}` : '');
        kit = createKit(await made.start(), options);
      });
      after(() => made?.close());
      define(() => {
        assert.ok(kit, 'there is no sandbox');
        return kit;
      }, backend);
    });
  }
}

export function createKit(sandbox: Sandbox, options: Partial<CreateToolsOptions> = {}): Kit {
  const tools = createTools({ sandbox, ...options });
  const call = async (name: string, args: JsonObject): Promise<Called> => {
    const { outcome, content } = await performTool(toolNamed(tools, name), args, context());
    const [first] = content;
    return { outcome, content, text: first?.type === 'text' ? first.text : '' };
  };
  return {
    sandbox,
    tools,
    call,
    ok: async (name, args) => {
      const called = await call(name, args);
      assert.equal(called.outcome, 'ok', called.text);
      return called.text;
    },
    fails: async (name, args) => {
      const called = await call(name, args);
      assert.notEqual(called.outcome, 'ok', called.text);
      return called.text;
    },
    inside: async (script) => {
      const result = await sandbox.exec({ argv: ['sh', '-c', script] }).result;
      const decoder = new TextDecoder();
      assert.equal(result.exitCode, 0, decoder.decode(result.stderr));
      return decoder.decode(result.stdout);
    },
  };
}

export function toolNamed(tools: readonly Tool[], name: string): Tool {
  const tool = tools.find(({ spec }) => spec.name === name);
  assert.ok(tool, `there is no tool ${name}`);
  return tool;
}

export function context(signal: AbortSignal = new AbortController().signal): ToolContext {
  return { runId: 'run', callId: 'call', idempotencyKey: 'key', signal };
}
