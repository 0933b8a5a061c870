import type { Folder } from './folder.ts';
import { languages } from './languages.ts';

/** What a folder says of itself. */
export interface Detected {
  readonly name?: string;
  readonly language?: string;
  /** Commands that check it. */
  readonly checks: readonly string[];
  /** What has to be run before `start`. */
  readonly build?: string;
  readonly start?: string;
  readonly target?: 'docker' | 'process';
  /** The port its Dockerfile names. */
  readonly port?: number;
  /** The files that told. */
  readonly because: readonly string[];
}

/** Looks for the signs of a language, of tests, and of a way to start it. The first language wins. */
export function detectProject(folder: Folder): Detected {
  const sign = languages.find(({ files }) => files.some((file) => folder.has(file)));
  const found = sign?.look(folder) ?? {};
  const dockerfile = folder.read('Dockerfile');
  const made = makeTarget(folder);
  const check = found.check ?? made;
  const target =
    dockerfile !== undefined ? 'docker' : found.start !== undefined ? 'process' : undefined;
  const port = Number(/^\s*EXPOSE\s+(\d{1,5})\b/im.exec(dockerfile ?? '')?.[1]);
  return {
    ...(found.name !== undefined && { name: found.name }),
    ...(sign !== undefined && { language: found.language ?? sign.language }),
    checks: check === undefined ? [] : [check],
    ...(found.build !== undefined && { build: found.build }),
    ...(found.start !== undefined && { start: found.start }),
    ...(target !== undefined && { target }),
    ...(port > 0 && port <= 65_535 && { port }),
    because: [
      ...(sign?.files.filter((file) => folder.has(file)) ?? []),
      ...(dockerfile === undefined ? [] : ['Dockerfile']),
      ...(found.check === undefined && made !== undefined ? ['Makefile'] : []),
    ],
  };
}

/** `make test`, where there is such a target. */
function makeTarget(folder: Folder): string | undefined {
  const text = folder.read('Makefile') ?? folder.read('makefile') ?? folder.read('GNUmakefile');
  const target = ['test', 'check'].find((name) =>
    new RegExp(`^${name}\\s*:(?!=)`, 'm').test(text ?? ''),
  );
  return target === undefined ? undefined : `make ${target}`;
}
