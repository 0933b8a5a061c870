import { writeFileSync } from 'node:fs';
import { choicesOf, schemaNodeAt } from '../packages/cli/src/project/schema-node.ts';
import { otherVariables } from '../packages/cli/src/settings/environment-layer.ts';
import { publishedSchema, settingsJsonSchema } from '../packages/cli/src/settings/json-schema.ts';
import { wholeAbove } from '../packages/cli/src/settings/layer.ts';
import { variableOf } from '../packages/cli/src/settings/variable-path.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../packages/core/src/index.ts';

/**
 * Writes docs/configuration.md and docs/forge.schema.json from the schema of the settings. A test
 * holds both to it.
 *
 *     node scripts/configuration-reference.ts
 */
const placeholder = '<name>';

// biome-ignore lint/suspicious/noTemplateCurlyInString: this is how settings refer to a variable.
const reference = '`${env:NAME}`';

/** Of parts whose schema has no words for people. */
const meanings: Readonly<Record<string, string>> = {
  'mcp.<name>.type': 'stdio for a program that is started, http for a server.',
  'mcp.<name>.command': 'The program to start.',
  'mcp.<name>.args': 'Its arguments.',
  'mcp.<name>.env': `Its variables. Values may hold ${reference}.`,
  'mcp.<name>.cwd': 'Where it is started.',
  'mcp.<name>.url': 'The address of a server.',
  'mcp.<name>.headers': `Sent to it. Values may hold ${reference}.`,
  'mcp.<name>.oauth': 'How to log in there.',
  'mcp.<name>.enabled': 'Off: not connected, its tools not offered.',
  'mcp.<name>.lazy': 'Connects at the first call, once its tools are known.',
  'mcp.<name>.trust': 'ask: a person approves every call. trusted: not for reviewed tools.',
  'mcp.<name>.newTools': 'Tools nobody reviewed: offered with approval, or hidden.',
  'mcp.<name>.allowedTools': 'If given, no other tools are offered.',
  'mcp.<name>.disabledTools': 'Never offered.',
  'mcp.<name>.protocol': 'auto tries the newest revision and falls back.',
  'mcp.<name>.timeouts': 'Limits of starting, calling and keeping alive, in milliseconds.',
  'mcp.<name>.toolTimeouts': 'Other limits for single tools, by name.',
  'tools.enabled': 'Only these, by name or with a star. Default: all.',
  'tools.disabled': 'Never these.',
  'tools.rules': 'deny, ask and allow, with patterns such as `shell(git push*)`.',
  'tools.budgets': 'How often a tool may run in one run, by name.',
  'tools.commands': 'The only programs a command may name. Default: any.',
};

/** Blocks with a page of their own. */
const elsewhere: Readonly<Record<string, string>> = {
  mcp: 'See [mcp.md](mcp.md). A variable sets one as a whole, as JSON: `FORGE_MCP__<NAME>`.',
  tools: 'See [tools.md](tools.md).',
  proxy:
    'See [proxy.md](proxy.md). A variable sets a profile as a whole, as JSON: `FORGE_PROXY__PROFILES__<NAME>`.',
};

interface Row {
  readonly path: readonly string[];
  readonly node: JsonObject;
}

export function configurationReference(): string {
  const root = settingsJsonSchema();
  const keys = Object.keys(isJsonObject(root.properties) ? root.properties : {});
  const nodes = keys.map((key) => ({ path: [key], node: schemaNodeAt(root, [key]) ?? {} }));
  const blocks = nodes.filter(({ node }) => rowsBelow({ path: [], node }).length > 0);
  const plain = nodes.filter((row) => !blocks.includes(row));
  return [
    introduction,
    '## The project\n',
    table(plain),
    ...blocks.flatMap(({ path, node }) => {
      const [key = ''] = path;
      const page = elsewhere[key];
      return [
        `\n## \`${key}\`\n`,
        `${[textOf(node.description), ...(page === undefined ? [] : [page])].join(' ')}\n`,
        table(rowsBelow({ path, node })),
      ];
    }),
    '\n## Variables that are no settings\n',
    '| variable | meaning |\n|---|---|',
    ...Object.entries(otherVariables).map(([name, meaning]) => `| \`${name}\` | ${meaning} |`),
    '| `OPENAI_API_KEY`, `ANTHROPIC_API_KEY`, … | Keys of providers: see [models.md](models.md). |',
    earlier,
  ].join('\n');
}

const introduction = `# Configuration

<!-- Made by scripts/configuration-reference.ts from the schema. Change that, not this. -->

Everything that can be set is in one schema. It is read from five places; the first that says
something wins:

1. flags of the command,
2. variables: \`FORGE_\` and the path, with two underscores between steps,
3. \`forge.yaml\` of the project, in the working directory or above it, up to the root of the
   repository; or the file named with \`--config\`,
4. \`~/.config/forge/config.yaml\` of the user,
5. defaults.

Blocks are merged key by key; lists and values are replaced. A pipeline, one MCP server, one proxy
profile and the schemas of an agent are taken whole from the first place that has them.

\`\`\`sh
forge init                # write a forge.yaml for this project
forge config --origins    # what holds here, and where each value came from
forge config check        # every fault, with file, line and column
forge config schema       # the JSON Schema, for editors
\`\`\`

In variables, lists are separated by commas, switches are \`true\` or \`false\`, and blocks are JSON.
A file that names a store or a model file means one beside itself. An unknown key is an error that
names the nearest one; an unknown \`FORGE_\` variable is a notice. The schema for editors is
[forge.schema.json](forge.schema.json); \`forge init\` puts a copy into \`.forge/\`.

Secrets do not belong into files. Settings name the variables that hold them. A key of yours is not
sent to an address that only a project's file names.
`;

const earlier = `
## Files and variables of earlier systems

These are read too, each with a notice that says what to write instead:

- \`agent-forge.toml\` of the project and \`~/.agent-forge/config.toml\`, below \`forge.yaml\` and
  \`config.yaml\`; \`AGENT_FORGE_{SECTION}_{KEY}\`, below \`FORGE_…\`.
- \`FORGE_PROVIDER\`, \`LLM_MODEL\`, \`OLLAMA_URL\`, \`LLAMA_CPP_URL\`, \`OPENROUTER_URL\`, below
  everything else: they set \`model\`.

Model names without a provider (\`claude-…\`, \`gpt-…\`, \`gemini-…\`) are understood.
`;

function table(rows: readonly Row[]): string {
  return [
    '| key | takes | default | meaning | variable |',
    '|---|---|---|---|---|',
    ...rows.map(({ path, node }) => {
      const key = path.join('.');
      const cells = [
        `\`${key}\``,
        typeOf(node),
        node.default === undefined || isBlock(node) ? '' : `\`${JSON.stringify(node.default)}\``,
        textOf(node.description) || meanings[key] || '',
        variableFor(path),
      ];
      return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
    }),
  ].join('\n');
}

/** All keys inside a block, and inside the blocks in it. */
function rowsBelow({ path, node }: Row): readonly Row[] {
  return choicesOf(node)
    .flatMap(({ properties, additionalProperties }) => [
      ...Object.entries(isJsonObject(properties) ? properties : {}),
      ...(isJsonObject(additionalProperties) && additionalProperties.type === 'object'
        ? [[placeholder, additionalProperties] as const]
        : anyShape(additionalProperties)),
    ])
    .filter(([key], index, all) => all.findIndex(([other]) => other === key) === index)
    .flatMap(([key, child]) => {
      if (!isJsonObject(child)) return [];
      const description = child.description ?? (key === placeholder ? node.description : undefined);
      const named = description === undefined ? child : { ...child, description };
      const row = { path: [...path, key], node: named };
      const isPage = path[0] === 'mcp' && path.length === 2;
      const below = isPage ? [] : rowsBelow(row);
      return below.length > 0 && !hasOwnRow(row) ? below : [row, ...below];
    });
}

/** What may have one of several shapes, and is a block in any. */
function anyShape(node: JsonValue | undefined): readonly (readonly [string, JsonObject])[] {
  return isJsonObject(node) && Array.isArray(node.anyOf) && isBlock(node)
    ? [[placeholder, node]]
    : [];
}

/** A block of names is told of by what is in it, a list of choices by itself. */
function hasOwnRow({ path, node }: Row): boolean {
  return path.at(-1) !== placeholder && !isBlock(node);
}

function isBlock(node: JsonObject): boolean {
  return choicesOf(node).every(({ type }) => type === 'object');
}

function typeOf(node: JsonObject): string {
  if (typeof node.expected === 'string') return node.expected;
  const choices = choicesOf(node);
  if (choices.length > 1) return [...new Set(choices.map(typeOf))].join(' or ');
  if (Array.isArray(node.enum)) return node.enum.map((each) => `\`${String(each)}\``).join(', ');
  switch (node.type) {
    case 'array':
      return 'a list';
    case 'integer':
    case 'number':
      return `a number${range(node)}`;
    case 'boolean':
      return '`true` or `false`';
    case 'object':
      return 'a block';
    default:
      return 'text';
  }
}

function range({ minimum, maximum, exclusiveMinimum }: JsonObject): string {
  const most = typeof maximum === 'number' && maximum < Number.MAX_SAFE_INTEGER;
  if (typeof minimum === 'number' && minimum > Number.MIN_SAFE_INTEGER) {
    return most ? ` from ${minimum} to ${String(maximum)}` : ` of at least ${minimum}`;
  }
  return exclusiveMinimum === undefined ? '' : ` above ${String(exclusiveMinimum)}`;
}

function variableFor(path: readonly string[]): string {
  const inside = wholeAbove(path) ?? (path.at(-1) === undefined ? [] : undefined);
  if (inside !== undefined) return '';
  return `\`${variableOf(path).replaceAll('_NAME_', '<NAME>')}\``;
}

const textOf = (value: JsonValue | undefined) => (typeof value === 'string' ? value : '');

/** As the formatter wants it: lists of words that fit on a line are on one. */
export function schemaFile(): string {
  const text = JSON.stringify(publishedSchema(), undefined, 2);
  const list = /^(.*)\[\n((?:\s+"[^"\n]*",?\n)+)\s*\](,?)$/gm;
  const short = text.replace(list, (whole, before: string, words: string, after: string) => {
    const line = `${before}[${words.trim().replace(/,\s+/g, ', ')}]${after}`;
    return line.length <= 100 ? line : whole;
  });
  return `${short}\n`;
}

export const documents = {
  reference: new URL('../docs/configuration.md', import.meta.url),
  schema: new URL('../docs/forge.schema.json', import.meta.url),
};

if (import.meta.main) {
  writeFileSync(documents.reference, configurationReference());
  writeFileSync(documents.schema, schemaFile());
  console.log('docs/configuration.md and docs/forge.schema.json are up to date.');
}
