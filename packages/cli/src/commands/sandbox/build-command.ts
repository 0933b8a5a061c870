import type { ImageName } from '@forge/sandbox';
import { Argument, type Command } from 'commander';
import type { CommandContext } from '../../context.ts';

interface BuildFlags {
  readonly from?: string;
  readonly mirror?: string;
  readonly tag?: string;
  readonly fresh?: boolean;
  readonly json?: boolean;
}

/** As in `@forge/sandbox`, which is not loaded for a help text. */
const names: readonly ImageName[] = ['base', 'node', 'python', 'rust'];

const notes = `
Images are made of Debian's packages. Where no image can be pulled, Debian itself is made with
debootstrap, which takes root. One that was built the same way before is used again.

Examples:
  forge sandbox build
  forge sandbox build python
  forge sandbox build base --from debian:12`;

/** `forge sandbox build`: the images sandboxes run in. */
export function addBuild(
  sandbox: Command,
  { terminal: getTerminal, signal }: CommandContext,
  isVerbose: () => boolean,
): void {
  sandbox
    .command('build')
    .description('build an image for sandboxes')
    .addArgument(new Argument('[image]', 'which').choices(names).default('base'))
    .option('--from <image>', 'a Debian or Ubuntu image to stand on')
    .option(
      '--mirror <url>',
      "where Debian's packages come from (default: where this machine gets them)",
    )
    .option('--tag <name>', 'its name (default: forge/IMAGE:latest)')
    .option('--fresh', 'build it anew even if it is there')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', notes)
    .action(async (name: ImageName, { json = false, ...flags }: BuildFlags) => {
      const { buildImage } = await import('@forge/sandbox');
      const terminal = getTerminal();
      const verbose = isVerbose();
      const onProgress = (line: string, { detail }: { readonly detail: boolean }) => {
        if (!json && (verbose || !detail)) terminal.err(line);
      };
      const built = await buildImage(name, { ...flags, onProgress, signal });
      const { tag, sizeBytes, reused } = built;
      if (json) terminal.out(JSON.stringify(built));
      else {
        const size = `${Math.round(sizeBytes / 1e6)} MB`;
        terminal.out(
          `${terminal.style('bold', tag)} ${reused ? 'was there' : 'is built'}, ${size}`,
        );
      }
    });
}
