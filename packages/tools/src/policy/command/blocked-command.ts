import { parseCommand } from './parse-command.ts';

const powerOff = new Set(['shutdown', 'reboot', 'halt', 'poweroff', 'init', 'telinit']);
const bomb = /:\s*\(\s*\)\s*\{\s*:\s*\|\s*:\s*&\s*\}\s*;\s*:/;

/**
 * Commands nobody means well with, refused without asking: the whole disk removed or overwritten,
 * the machine switched off, a fork bomb. A courtesy to whoever reads the log, not a boundary: there
 * are endless ways to write a command, and what holds is the sandbox.
 */
export function blockedCommand(text: string): string | undefined {
  if (bomb.test(text)) return 'it is a fork bomb';
  const parsed = parseCommand(text);
  const commands = parsed.plain ? parsed.commands.map(({ argv }) => argv) : roughly(text);
  for (const argv of commands) {
    const why = blockedArgv(argv);
    if (why !== undefined) return why;
  }
  return undefined;
}

/** Of something that is not plain: its words, commands apart, as well as can be told. */
function roughly(text: string): readonly (readonly string[])[] {
  return text
    .slice(0, 100_000)
    .split(/[;&|\n(){}`$]+/)
    .map((part) => part.trim().split(/\s+/))
    .filter(([program]) => program !== undefined && program !== '');
}

function blockedArgv([named = '', ...words]: readonly string[]): string | undefined {
  const program = named.slice(named.lastIndexOf('/') + 1);
  if (program === 'sudo' || program === 'doas') return blockedArgv(words);
  if (powerOff.has(program)) return `${program} switches the machine off`;
  if (/^mkfs(\..+)?$/.test(program)) return `${program} makes a new file system over an old one`;
  if (
    program === 'dd' &&
    words.some((word) => /^(?:of|if)=\/dev\/(?!null|zero|u?random)/.test(word))
  )
    return 'dd on a device';
  if (program === 'rm' && isRecursive(words) && words.some(isEverything))
    return 'rm on everything there is';
  return undefined;
}

function isRecursive(words: readonly string[]): boolean {
  return words.some((word) => word === '--recursive' || /^-[a-zA-Z]*[rR]/.test(word));
}

function isEverything(word: string): boolean {
  return /^['"]?\/[./]*\*?['"]?$/.test(word);
}
