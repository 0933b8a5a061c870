import {
  type Command,
  type CommandContext,
  decodeBytesToUtf8,
  defineCommand,
  EMPTY_BYTES,
  type ExecResult,
  latin1FromBytes,
} from 'just-bash';
import { quote } from './quote.ts';

/**
 * `sh` and `bash` as commands. Those of the package give the variables of the caller no further and
 * take `--help` among the arguments of a script for their own.
 */
export function playedShells(environment: Readonly<Record<string, string>>): Command[] {
  return ['sh', 'bash'].map((name) =>
    defineCommand(name, (args, context) => play(args, context, environment)),
  );
}

async function play(
  args: readonly string[],
  context: CommandContext,
  environment: Readonly<Record<string, string>>,
): Promise<ExecResult> {
  const [first, second] = args;
  if (first !== undefined && /^-[a-z]*c[a-z]*$/.test(first)) {
    if (second === undefined) return failure(`${first}: option requires an argument`, 2);
    return await run(flagsIn(first) + withArguments(second, args.slice(3)), context, environment);
  }
  const [file, ...rest] = args.filter((word, index) => index > 0 || !/^-[a-z]+$/.test(word));
  if (file === undefined) {
    const script = decodeBytesToUtf8(context.stdin);
    return await run(script, { ...context, stdin: EMPTY_BYTES }, environment);
  }
  const place = context.fs.resolvePath(context.cwd, file);
  try {
    const script = await context.fs.readFile(place);
    return await run(withArguments(script, rest), context, environment);
  } catch {
    return failure(`${file}: No such file or directory`, 127);
  }
}

async function run(
  script: string,
  context: CommandContext,
  environment: Readonly<Record<string, string>>,
): Promise<ExecResult> {
  const { exec, cwd, env, exportedEnv, stdin, signal } = context;
  if (exec === undefined) return failure('no commands can be run here', 126);
  // The variables a command was started with are the shell's own to hand on.
  const inherited = Object.keys(environment).flatMap((name) => {
    const value = env.get(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  const result = await exec(script, {
    cwd,
    env: { ...Object.fromEntries(inherited), ...exportedEnv },
    replaceEnv: true,
    stdin: latin1FromBytes(stdin),
    stdinKind: 'bytes',
    ...(signal && { signal }),
  });
  const { stdout, stderr, exitCode } = result;
  return { stdout, stderr, exitCode, stdoutKind: isBinary(stdout) ? 'bytes' : 'text' };
}

/** Which of the two a script printed is not told; a NUL says it, as it does for `grep`. */
function isBinary(printed: string): boolean {
  return printed.includes('\0') && /^[\0-\xff]*$/.test(printed);
}

function flagsIn(word: string): string {
  const flags = word
    .slice(1)
    .replace('c', '')
    .replace(/[^eux]/g, '');
  return flags === '' ? '' : `set -${flags}\n`;
}

/** The `set` of the package takes `--help` for its own wherever it stands; a function does not. */
function withArguments(script: string, args: readonly string[]): string {
  const words = args.map(quote).join(' ');
  if (!args.includes('--help')) return `set -- ${words}\n${script}`;
  return `forge_script() {\n${script}\n}\nforge_script ${words}`;
}

function failure(problem: string, exitCode: number): ExecResult {
  return { stdout: '', stderr: `sh: ${problem}\n`, exitCode };
}
