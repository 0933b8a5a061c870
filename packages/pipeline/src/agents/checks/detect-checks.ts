/** The files of a project that say how it is checked. Undefined: there is none of that name. */
export type ReadProjectFile = (path: string) => Promise<string | undefined>;

interface Convention {
  /** Files that are looked into. */
  readonly files: readonly string[];
  readonly command: (files: Readonly<Record<string, string>>) => string | undefined;
}

const hasNoTests = /no test specified/;

/** How projects of a kind are checked, without being told. */
const conventions: readonly Convention[] = [
  {
    files: ['package.json'],
    command: ({ 'package.json': text = '' }) => {
      const script = testScript(text);
      return script === undefined || hasNoTests.test(script) ? undefined : 'npm test';
    },
  },
  {
    files: ['pytest.ini', 'conftest.py', 'pyproject.toml', 'requirements.txt', 'setup.cfg'],
    command: (files) => {
      if ('pytest.ini' in files || 'conftest.py' in files) return 'python3 -m pytest -q';
      const named = Object.values(files).some((text) => /\bpytest\b/.test(text));
      return named ? 'python3 -m pytest -q' : undefined;
    },
  },
  {
    files: ['Cargo.toml'],
    command: (files) => ('Cargo.toml' in files ? 'cargo test' : undefined),
  },
  { files: ['go.mod'], command: (files) => ('go.mod' in files ? 'go test ./...' : undefined) },
];

const makefiles = ['Makefile', 'makefile', 'GNUmakefile'];

/** The commands that check this project, by what lies in its folder; none if nothing says so. */
export async function detectChecks(read: ReadProjectFile): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { files, command } of conventions) {
    const check = command(await readAll(files, read));
    if (check !== undefined) found.push(check);
  }
  if (found.length > 0) return found;
  const texts = Object.values(await readAll(makefiles, read));
  return texts.some((text) => /^(?:test|check)\s*:(?!=)/m.test(text))
    ? [`make ${texts.some((text) => /^test\s*:(?!=)/m.test(text)) ? 'test' : 'check'}`]
    : [];
}

async function readAll(
  names: readonly string[],
  read: ReadProjectFile,
): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const name of names) {
    const text = await read(name);
    if (text !== undefined) files[name] = text;
  }
  return files;
}

function testScript(manifest: string): string | undefined {
  try {
    const value: unknown = JSON.parse(manifest);
    if (typeof value !== 'object' || value === null || !('scripts' in value)) return undefined;
    const { scripts } = value;
    if (typeof scripts !== 'object' || scripts === null || !('test' in scripts)) return undefined;
    return typeof scripts.test === 'string' && scripts.test.trim() !== ''
      ? scripts.test
      : undefined;
  } catch {
    return undefined; // A manifest that npm could not read either.
  }
}
