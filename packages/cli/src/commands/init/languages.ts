import { isJsonObject, type JsonObject } from '@forge/core';
import { parse } from 'smol-toml';
import { type Folder, readJson } from './folder.ts';

interface Found {
  readonly name?: string | undefined;
  /** Where the files tell more than the language's own name. */
  readonly language?: string | undefined;
  readonly check?: string | undefined;
  readonly build?: string | undefined;
  readonly start?: string | undefined;
}

export interface Language {
  readonly language: string;
  /** Any of these says that it is this one. */
  readonly files: readonly string[];
  readonly look: (folder: Folder) => Found;
}

/** In the order they are looked for: what is built comes before what often lies beside it. */
export const languages: readonly Language[] = [
  { language: 'javascript', files: ['package.json'], look: lookAtNode },
  { language: 'javascript', files: ['deno.json', 'deno.jsonc'], look: lookAtDeno },
  { language: 'rust', files: ['Cargo.toml'], look: lookAtRust },
  { language: 'go', files: ['go.mod'], look: lookAtGo },
  {
    language: 'python',
    files: ['pyproject.toml', 'requirements.txt', 'setup.py', 'Pipfile'],
    look: lookAtPython,
  },
  { language: 'java', files: ['pom.xml'], look: () => ({ check: 'mvn -q test' }) },
  {
    language: 'java',
    files: ['build.gradle', 'build.gradle.kts'],
    look: (folder) => ({ check: folder.has('gradlew') ? './gradlew test' : 'gradle test' }),
  },
  { language: 'ruby', files: ['Gemfile'], look: lookAtRuby },
  {
    language: 'php',
    files: ['composer.json'],
    look: (folder) => ({
      check:
        folder.has('phpunit.xml') || folder.has('phpunit.xml.dist')
          ? 'vendor/bin/phpunit'
          : undefined,
    }),
  },
];

function lookAtNode(folder: Folder): Found {
  const { name, scripts, dependencies, devDependencies } = readJson(folder.read('package.json'));
  const has = (script: string) => {
    const text = isJsonObject(scripts) ? scripts[script] : undefined;
    return typeof text === 'string' && text.trim() !== '' && !/no test specified/.test(text);
  };
  const uses = (names: unknown) => isJsonObject(names) && 'typescript' in names;
  const manager = managerOf(folder);
  const run = manager === 'npm' ? 'npm run' : `${manager} run`;
  const isTypeScript = folder.has('tsconfig.json') || uses(dependencies) || uses(devDependencies);
  const build = has('build') ? `${installOf[manager]} && ${run} build` : installOf[manager];
  const start = has('start')
    ? `${manager} start`
    : folder.has('server.js')
      ? 'node server.js'
      : undefined;
  return {
    name: typeof name === 'string' ? name : undefined,
    language: isTypeScript ? 'typescript' : 'javascript',
    check: has('test') ? (manager === 'bun' ? 'bun run test' : `${manager} test`) : undefined,
    build: start === undefined || isBare(folder) ? undefined : build,
    start,
  };
}

type Manager = 'npm' | 'pnpm' | 'yarn' | 'bun';

const installOf: Readonly<Record<Manager, string>> = {
  npm: 'npm ci',
  pnpm: 'pnpm install --frozen-lockfile',
  yarn: 'yarn install --frozen-lockfile',
  bun: 'bun install --frozen-lockfile',
};

function managerOf(folder: Folder): Manager {
  if (folder.has('pnpm-lock.yaml')) return 'pnpm';
  if (folder.has('yarn.lock')) return 'yarn';
  return folder.has('bun.lock') || folder.has('bun.lockb') ? 'bun' : 'npm';
}

/** Nothing to install and nothing to build: no lockfile says otherwise. */
function isBare(folder: Folder): boolean {
  return !['package-lock.json', 'pnpm-lock.yaml', 'yarn.lock', 'bun.lock', 'bun.lockb'].some(
    (file) => folder.has(file),
  );
}

function lookAtDeno(folder: Folder): Found {
  const { tasks } = readJson(folder.read('deno.json'));
  const has = (task: string) => isJsonObject(tasks) && task in tasks;
  return {
    language: 'typescript',
    check: has('test') ? 'deno task test' : 'deno test',
    start: has('start') ? 'deno task start' : undefined,
  };
}

function lookAtRust(folder: Folder): Found {
  const { package: crate } = readToml(folder.read('Cargo.toml'));
  const name = isJsonObject(crate) && typeof crate.name === 'string' ? crate.name : undefined;
  const starts = name !== undefined && /^[\w-]+$/.test(name) && folder.has('src/main.rs');
  return {
    name,
    check: 'cargo test',
    ...(starts && { build: 'cargo build --release', start: `./target/release/${name}` }),
  };
}

function lookAtGo(folder: Folder): Found {
  const path = /^module\s+(\S+)/m.exec(folder.read('go.mod') ?? '')?.[1];
  const starts = folder.has('main.go');
  return {
    name: path
      ?.split('/')
      .filter((part) => !/^v\d+$/.test(part))
      .at(-1),
    check: 'go test ./...',
    ...(starts && { build: 'go build -o app .', start: './app' }),
  };
}

function lookAtPython(folder: Folder): Found {
  const pyproject = folder.read('pyproject.toml');
  const { project } = readToml(pyproject);
  const files = [
    'pyproject.toml',
    'requirements.txt',
    'requirements-dev.txt',
    'Pipfile',
    'setup.cfg',
  ];
  const names = (word: RegExp) => files.some((file) => word.test(folder.read(file) ?? ''));
  const tested = names(/\bpytest\b/) || folder.has('pytest.ini') || folder.has('conftest.py');
  const unittest = folder.has('tests') || folder.has('test');
  const main = ['main.py', 'app.py', 'server.py'].find((file) => folder.has(file));
  return {
    name: isJsonObject(project) && typeof project.name === 'string' ? project.name : undefined,
    check: tested ? 'python3 -m pytest -q' : unittest ? 'python3 -m unittest' : undefined,
    start: main === undefined ? undefined : startOfPython(main, names),
  };
}

/** Servers of ASGI applications are told the port; everything else reads it. */
function startOfPython(main: string, names: (word: RegExp) => boolean): string {
  const isAsgi = names(/\b(?:fastapi|starlette)\b/i) && names(/\buvicorn\b/i);
  if (!isAsgi) return `python3 ${main}`;
  return `python3 -m uvicorn ${main.replace(/\.py$/, '')}:app --host $HOST --port $PORT`;
}

function lookAtRuby(folder: Folder): Found {
  const isRails = folder.has('bin/rails');
  const check = folder.has('spec') ? 'bundle exec rspec' : 'bundle exec rake test';
  return {
    check,
    start: isRails ? 'bin/rails server -b $HOST -p $PORT' : undefined,
  };
}

function readToml(text: string | undefined): JsonObject {
  try {
    const value: unknown = parse(text ?? '');
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}
