import { type JsonSchema, nearestNames } from '@forge/core';
import { listOf, type Typed, typed } from './json-type.ts';
import { parsePlace, sourcesOf } from './parse-ref.ts';
import type { PipelineDefinition, Ref } from './pipeline-schema.ts';
import { schemaAt } from './schema-at.ts';

/** The two sides of what an agent is given and hands on. */
export interface AgentContract {
  readonly input: JsonSchema;
  readonly output: JsonSchema;
}
export type AgentContracts = Readonly<Record<string, AgentContract>>;

/** Where a reference stands: what it may see, and what is certain there. */
export interface Scope {
  readonly definition: PipelineDefinition;
  readonly agents: AgentContracts;
  /** Nodes that come before, loops counted. */
  readonly before: ReadonlySet<string>;
  /** Of these, the ones that have certainly handed something on. */
  readonly certain: ReadonlySet<string>;
  /** What an `each` brings, and `failure`. */
  readonly extra: Readonly<Record<string, { readonly type: Typed; readonly maybe: boolean }>>;
}

/** One thing a reference may give, or why it gives nothing. */
export type Given =
  | {
      readonly type: 'given';
      readonly text: string;
      readonly value: Typed;
      /** Why it may be missing. */
      readonly missing?: string;
      /** The node it comes from. */
      readonly node?: string;
    }
  | {
      readonly type: 'fault';
      readonly problem: string;
      readonly hint: string;
      readonly node?: string;
    };

/** What each source of a reference gives. */
export function givenBy(ref: Ref, scope: Scope): Given[] {
  return sourcesOf(ref).map((source) =>
    typeof source === 'string' ? valueAt(source, scope) : literal(source.value),
  );
}

/** Why nothing may come of a reference; undefined if one of its sources is always there. */
export function whyMissing(all: readonly Given[]): string | undefined {
  const missing = all.map((given) => (given.type === 'given' ? given.missing : 'it is not there'));
  return missing.includes(undefined) ? undefined : missing.at(-1);
}

function literal(value: unknown): Given {
  return { type: 'given', text: JSON.stringify(value), value: typed({ const: value }) };
}

function valueAt(text: string, scope: Scope): Given {
  const { root, path } = parsePlace(text);
  const origin = originOf(root, text, scope);
  if (origin.type === 'fault') return origin;
  const found = schemaAt(origin.value, path);
  if (found.type === 'missing') {
    const wrong = path[found.index] ?? '';
    const at = [root, ...path.slice(0, found.index)].join('.');
    const [near] = nearestNames(wrong, found.known);
    const known = found.known.slice(0, 20).join(', ');
    return {
      type: 'fault',
      problem: `${JSON.stringify(text)} is not there: ${at} has no ${JSON.stringify(wrong)}.`,
      hint:
        near !== undefined
          ? `did you mean ${near}?`
          : known === ''
            ? `${at} has no names in it`
            : `there is: ${known}`,
      ...(origin.node !== undefined && { node: origin.node }),
    };
  }
  const missing = origin.missing ?? (found.maybe ? `${text} may be missing` : undefined);
  return {
    type: 'given',
    text,
    value: found.at,
    ...(missing !== undefined && { missing }),
    ...(origin.node !== undefined && { node: origin.node }),
  };
}

function originOf(root: string, text: string, scope: Scope): Given {
  const { definition, agents, before, certain, extra } = scope;
  if (root === 'input') return { type: 'given', text, value: typed(definition.input) };
  const brought = Object.hasOwn(extra, root) ? extra[root] : undefined;
  if (brought !== undefined) {
    const missing = brought.maybe ? `${root} is only there after a failure` : undefined;
    return {
      type: 'given',
      text,
      value: brought.type,
      ...(missing !== undefined && { missing }),
    };
  }
  const node = Object.hasOwn(definition.nodes, root) ? definition.nodes[root] : undefined;
  if (node === undefined) {
    const names = ['input', ...Object.keys(extra), ...Object.keys(definition.nodes)];
    const [near] = nearestNames(root, names);
    return {
      type: 'fault',
      problem: `${JSON.stringify(text)} names ${JSON.stringify(root)}, which is not a node.`,
      hint:
        near !== undefined ? `did you mean ${near}?` : `there is: ${names.slice(0, 20).join(', ')}`,
    };
  }
  if (!before.has(root)) {
    return {
      type: 'fault',
      problem: `${JSON.stringify(text)} is about ${root}, which does not come before it.`,
      hint: `lead an edge here from ${root}, or from what follows it`,
    };
  }
  const output = agents[node.agent]?.output;
  const one = typed(output ?? true);
  const missing = certain.has(root) ? undefined : `${root} may not have run by then`;
  return {
    type: 'given',
    text,
    value: node.each === undefined ? one : listOf(one),
    node: root,
    ...(missing !== undefined && { missing }),
  };
}
