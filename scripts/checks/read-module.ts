import { type Program, parseSync, Visitor } from 'oxc-parser';

export interface ImportedModule {
  readonly specifier: string;
  readonly line: number;
}

export interface ParsedModule {
  readonly program: Program;
  /** The line, from 1, of a position in the source. */
  readonly lineAt: (position: number) => number;
}

export function parseModule(path: string, text: string): ParsedModule {
  const { program, errors } = parseSync(path, text);
  const fault = errors[0];
  if (fault !== undefined) throw new Error(`${path} does not parse: ${fault.message}`);
  return { program, lineAt: (position) => text.slice(0, position).split('\n').length };
}

/**
 * Every module a source names: `import`, `export … from`, `import()` of a literal, and types
 * such as `import('x').T`. Type-only imports count, because they tie packages together too.
 */
export function importsOf({ program, lineAt }: ParsedModule): ImportedModule[] {
  const found: ImportedModule[] = [];
  const add = (source: { type: string; value?: unknown; start: number } | null): void => {
    if (source !== null && typeof source.value === 'string') {
      found.push({ specifier: source.value, line: lineAt(source.start) });
    }
  };
  new Visitor({
    ImportDeclaration: (node) => add(node.source),
    ExportNamedDeclaration: (node) => add(node.source),
    ExportAllDeclaration: (node) => add(node.source),
    ImportExpression: (node) => add(literalOf(node.source)),
    TSImportType: (node) => add(node.source),
    TSExternalModuleReference: (node) => add(node.expression),
  }).visit(program);
  return found;
}

/** A template without holes is as good as a string literal. */
function literalOf(node: {
  type: string;
  start: number;
  value?: unknown;
  quasis?: readonly { value: { cooked: string | null } }[];
}): { type: string; start: number; value?: unknown } {
  const only = node.quasis?.length === 1 ? node.quasis[0]?.value.cooked : undefined;
  return typeof only === 'string' ? { type: node.type, start: node.start, value: only } : node;
}
