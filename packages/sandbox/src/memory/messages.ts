/** What a shell asks of the files, which live outside its thread so that they outlive it. */
export const fileMethods = [
  'readFile',
  'readFileBytes',
  'readFileBuffer',
  'writeFile',
  'appendFile',
  'exists',
  'stat',
  'lstat',
  'mkdir',
  'readdir',
  'readdirWithFileTypes',
  'rm',
  'cp',
  'mv',
  'chmod',
  'symlink',
  'link',
  'readlink',
  'realpath',
  'utimes',
] as const;

export type FileMethod = (typeof fileMethods)[number];

/** One command for the shell. */
export interface Job {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: Uint8Array;
  /** A folder no command knows of, which catches what is printed. */
  readonly outputFolder: string;
}

export type ToShell =
  | { readonly type: 'run'; readonly job: Job }
  | { readonly type: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly type: 'refusal'; readonly id: number; readonly message: string };

export type FromShell =
  | {
      readonly type: 'ask';
      readonly id: number;
      readonly method: FileMethod;
      readonly args: readonly unknown[];
    }
  | {
      readonly type: 'done';
      readonly exitCode: number;
      readonly stdout: Uint8Array;
      readonly stderr: Uint8Array;
    };
