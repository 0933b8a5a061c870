import type { UntypedServiceImplementation } from '@grpc/grpc-js';
import type { z } from 'zod';
import type { Command, Execution } from '../sandbox.ts';
import { toCommandEnd } from './command-end.ts';
import type { Container, Containers } from './containers.ts';
import { commandSchema, killSchema } from './requests.ts';
import type { CallContext, CallServer } from './serve-call.ts';

/** Clients of other makes take messages of up to 4 MiB unless they are told. */
const mostInOneMessage = 3 * 1024 * 1024;
const chunkBytes = 256 * 1024;

export function commandCalls({
  serve,
  containers,
}: {
  readonly serve: CallServer;
  readonly containers: Containers;
}): UntypedServiceImplementation {
  return {
    ExecCommand: serve.unary(commandSchema, (request, context) =>
      containers.use(context, request.containerId, async (container) => {
        const { execution, done } = start(container, request, context);
        try {
          const result = await execution.result;
          const stdout = result.stdout.subarray(0, mostInOneMessage);
          const stderr = result.stderr.subarray(0, mostInOneMessage - stdout.length);
          const cut = result.stdout.length + result.stderr.length - stdout.length - stderr.length;
          const end = toCommandEnd({ ...result, dropped: result.dropped + cut });
          return { stdout, stderr, end };
        } finally {
          done();
        }
      }),
    ),

    StreamCommand: serve.stream(commandSchema, async function* (request, context) {
      const release = containers.hold(context, request.containerId);
      const { execution, done } = start(release.container, request, context);
      let isOver = false;
      try {
        for await (const { stream, bytes } of execution.output) {
          for (let at = 0; at < bytes.length; at += chunkBytes) {
            yield { [stream]: bytes.subarray(at, at + chunkBytes) };
          }
        }
        const result = await execution.result;
        isOver = true;
        yield { end: toCommandEnd(result) };
      } finally {
        // The reader is gone before the end: so is the reason to go on.
        if (!isOver) execution.kill();
        await execution.result;
        done();
        release();
      }
    }),

    KillCommand: serve.unary(killSchema, async ({ containerId, commandId }, context) => {
      const execution = containers.find(context, containerId).commands.get(commandId);
      execution?.kill();
      return { found: execution !== undefined };
    }),
  };
}

function start(
  container: Container,
  request: z.infer<typeof commandSchema>,
  { signal }: CallContext,
): { readonly execution: Execution; done(): void } {
  const { commandId } = request;
  const execution = container.sandbox.exec(commandOf(request), { signal });
  if (commandId !== '') container.commands.set(commandId, execution);
  return {
    execution,
    done: () => {
      if (container.commands.get(commandId) === execution) container.commands.delete(commandId);
    },
  };
}

function commandOf({
  argv: [program = '', ...args],
  cwd,
  env,
  stdin,
  timeoutMs,
}: z.infer<typeof commandSchema>): Command {
  return {
    argv: [program, ...args],
    env,
    ...(cwd === '' ? {} : { cwd }),
    ...(stdin.length === 0 ? {} : { stdin }),
    ...(timeoutMs === 0 ? {} : { timeoutMs }),
  };
}
