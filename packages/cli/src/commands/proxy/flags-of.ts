import type { Command } from 'commander';
import { UsageError } from '../../usage-error.ts';

/**
 * The flags of a command below `forge proxy`. What both know is taken off the command line by
 * `proxy`, wherever it stands; what the command does not know would have no effect, and is
 * refused.
 */
export function flagsOf<Flags extends object>(command: Command): Flags {
  const { parent } = command;
  if (parent === null) return command.opts<Flags>();
  const own = new Set(command.options.map((option) => option.attributeName()));
  for (const option of parent.options) {
    const name = option.attributeName();
    if (own.has(name) || parent.getOptionValueSource(name) === undefined) continue;
    throw new UsageError(`${option.long} has no effect with "forge proxy ${command.name()}".`);
  }
  return { ...parent.opts<Flags>(), ...command.opts<Flags>() };
}
