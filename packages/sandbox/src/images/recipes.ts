/** What an image is made of, over the one it stands on. */
export interface Recipe {
  readonly packages: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** What a person gets to read. */
  readonly about: string;
}

export const imageNames = ['base', 'node', 'python', 'rust'] as const;
export type ImageName = (typeof imageNames)[number];

/** Raised when the way images are made changes, so that those of before are made anew. */
export const recipeVersion = 1;

/** All from Debian: what is not there is not in the image. `node`, `python`, `rust` stand on `base`. */
export const recipes: Readonly<Record<ImageName, Recipe>> = {
  base: {
    about: 'a shell, git, ripgrep, curl, jq and the like',
    packages: [
      ...['ca-certificates', 'curl', 'diffutils', 'file', 'findutils', 'git', 'jq', 'less'],
      ...['openssh-client', 'patch', 'procps', 'ripgrep', 'tree', 'unzip', 'xz-utils', 'zip'],
    ],
    env: { LANG: 'C.UTF-8' },
  },
  node: {
    about: 'Node.js and npm',
    packages: ['build-essential', 'nodejs', 'npm', 'python3'],
    env: { npm_config_update_notifier: 'false', npm_config_fund: 'false' },
  },
  python: {
    about: 'Python with pip, venv and pytest',
    packages: [
      ...['build-essential', 'python-is-python3', 'python3', 'python3-dev', 'python3-pip'],
      ...['python3-pytest', 'python3-venv'],
    ],
    env: { PYTHONDONTWRITEBYTECODE: '1', PIP_DISABLE_PIP_VERSION_CHECK: '1' },
  },
  rust: {
    about: 'rustc and cargo, with clippy and rustfmt',
    packages: [
      ...[
        'build-essential',
        'cargo',
        'libssl-dev',
        'pkg-config',
        'rust-clippy',
        'rustc',
        'rustfmt',
      ],
    ],
    env: { CARGO_TERM_COLOR: 'never' },
  },
};

/** The Dockerfile of a recipe. No `# syntax` line: it would have to be pulled. */
export function dockerfileOf(recipe: Recipe, { from, mirror }: { from: string; mirror?: string }) {
  const env = Object.entries(recipe.env).map(([name, value]) => `ENV ${name}=${value}`);
  const packages = [...recipe.packages].sort().join(' ');
  const sources = mirror === undefined ? [] : [useMirror(mirror)];
  const install = [
    ...sources,
    'export DEBIAN_FRONTEND=noninteractive',
    'apt-get update',
    `apt-get install -y --no-install-recommends ${packages}`,
    'apt-get clean',
    'rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/log/*.log /usr/share/doc/* /usr/share/man/*',
  ];
  const agent = [
    '(getent passwd agent >/dev/null || useradd --create-home --uid 1000 --shell /bin/bash agent)',
    'mkdir -p /workspace',
    'chown agent:agent /workspace',
  ];
  return [
    `FROM ${from}`,
    'USER root',
    `RUN ${install.join(' && ')}`,
    `RUN ${agent.join(' && ')}`,
    ...env,
    'WORKDIR /workspace',
    'USER agent',
    'CMD ["/bin/sh"]',
    '',
  ].join('\n');
}

/** In place of the mirrors the image came with, whichever way it names them. */
function useMirror(mirror: string): string {
  const suite = '$(. /etc/os-release && echo "$VERSION_CODENAME")';
  return `rm -f /etc/apt/sources.list.d/* && echo "deb ${mirror} ${suite} main" > /etc/apt/sources.list`;
}
