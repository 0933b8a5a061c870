import type { CommandContext } from '../context.ts';
import type { Workshop } from '../workshop/workshop.ts';
import { sandboxSettings, storeOf } from './make-project.ts';

/** Those that speak with a model. */
const speakers = ['planner', 'coder', 'reviewer', 'deployer', 'verifier'] as const;

/**
 * The workshop of the demo's project. What its `forge.yaml` says is said again as flags: variables
 * and the user's own file must not put another model, store or target in its place.
 */
export function openProject(
  context: CommandContext,
  folder: string,
  { model, backend }: { readonly model?: string; readonly backend?: string } = {},
): Promise<Workshop> {
  return context.openWorkshop({
    context: { ...context, cwd: folder },
    flags: {
      store: storeOf(folder),
      deploy: { target: 'process', approval: false },
      ...(model !== undefined && {
        model,
        agents: Object.fromEntries(speakers.map((agent) => [agent, { model }])),
      }),
      ...(backend !== undefined && { sandbox: sandboxSettings(backend) }),
    },
    repo: folder,
  });
}
