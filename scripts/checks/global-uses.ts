import { Visitor } from 'oxc-parser';
import type { ParsedModule } from './read-module.ts';

/** A use of something global, as a dotted path: `process.env`, `console.log`. */
export interface GlobalUse {
  readonly path: string;
  readonly line: number;
}

/** The parts of a syntax node that are looked at here. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly name?: unknown;
  readonly value?: unknown;
  readonly computed?: boolean;
  readonly object?: Node;
  readonly property?: Node;
  readonly key?: Node;
  readonly properties?: readonly Node[];
  readonly expression?: Node | boolean;
}

const globalObjects = new Set(['globalThis', 'global', 'window', 'self']);
const modulesOfGlobals: Readonly<Record<string, string>> = {
  'node:process': 'process',
  process: 'process',
  'node:console': 'console',
  console: 'console',
};

/**
 * What a module takes from `process` and `console`: as members, by destructuring, through a
 * local alias, or by importing the module of the same name.
 */
export function globalUsesOf({ program, lineAt }: ParsedModule): GlobalUse[] {
  const found: GlobalUse[] = [];
  const aliases = new Map<string, string>();
  const note = (path: string | undefined, start: number): void => {
    if (path !== undefined) found.push({ path, line: lineAt(start) });
  };
  const unpack = (pattern: Node, from: Node | null): void => {
    const source = from === null ? undefined : pathOf(from, aliases);
    if (source === undefined) return;
    if (pattern.type === 'Identifier' && (source === 'process' || source === 'console')) {
      aliases.set(String(pattern.name), source);
    }
    for (const property of pattern.properties ?? []) {
      const key = property.key === undefined ? undefined : keyOf(property.key, property.computed);
      if (key !== undefined) note(`${source}.${key}`, property.start);
    }
  };
  new Visitor({
    ImportDeclaration(node) {
      const global = modulesOfGlobals[node.source.value];
      if (global === undefined) return;
      for (const specifier of node.specifiers) {
        if (specifier.type !== 'ImportSpecifier') aliases.set(specifier.local.name, global);
        else note(`${global}.${keyOf(specifier.imported, false)}`, specifier.start);
      }
    },
    VariableDeclarator: (node) => unpack(node.id, node.init),
    AssignmentExpression: (node) => unpack(node.left, node.right),
    MemberExpression: (node) => note(pathOf(node, aliases), node.start),
  }).visit(program);
  return found;
}

function pathOf(node: Node, aliases: ReadonlyMap<string, string>): string | undefined {
  switch (node.type) {
    case 'Identifier': {
      const name = String(node.name);
      return aliases.get(name) ?? name;
    }
    case 'MetaProperty':
      return 'import.meta';
    case 'MemberExpression': {
      const { object, property } = node;
      if (object === undefined || property === undefined) return undefined;
      const base = pathOf(object, aliases);
      const key = keyOf(property, node.computed);
      if (base === undefined || key === undefined) return undefined;
      return globalObjects.has(base) ? key : `${base}.${key}`;
    }
    case 'ChainExpression':
    case 'ParenthesizedExpression':
    case 'TSNonNullExpression':
    case 'TSAsExpression':
      return typeof node.expression === 'object' ? pathOf(node.expression, aliases) : undefined;
    default:
      return undefined;
  }
}

function keyOf(node: Node, computed: boolean | undefined): string | undefined {
  if (node.type === 'Literal') return String(node.value);
  return computed === true || node.type !== 'Identifier' ? undefined : String(node.name);
}
