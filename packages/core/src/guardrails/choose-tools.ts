import type { ToolChoice } from '../models.ts';
import { pendingSteps } from './check-order.ts';
import type { Guard } from './create-guard.ts';
import type { Progress } from './progress.ts';

/**
 * The tool choice to ask with. Once a reply was refused where only a call will do, the request
 * says so too: backends that can hold a model to a call then do.
 */
export function chooseTools(guard: Guard, progress: Progress): ToolChoice {
  if (guard.toolChoice !== 'auto' || guard.specs.length === 0) return guard.toolChoice;
  const refused = progress.retries + progress.premature > 0;
  const onlyCalls = guard.terminalTools.length > 0 || pendingSteps(guard, progress).length > 0;
  return refused && onlyCalls ? 'required' : 'auto';
}
