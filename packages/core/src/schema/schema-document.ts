import { isJsonObject } from '../json.ts';
import { describeNames } from './describe-value.ts';
import { invalidSchema } from './invalid-schema.ts';
import type { JsonSchema } from './json-schema.ts';
import { isSchema } from './keyword-reader.ts';
import { childSchemas } from './subschemas.ts';

type SchemaObject = { readonly [keyword: string]: unknown };

/** A part of a document with an `$id` of its own (the whole document is one too). */
export interface Resource {
  readonly root: JsonSchema;
  readonly uri: string;
  readonly location: string;
}

/** What a reference means: a schema, the resource it stands in, and where that is. */
export interface Target {
  readonly schema: JsonSchema;
  readonly resource: Resource;
  readonly location: string;
}

/** Stands for the address of a document that does not say its own. */
const NOWHERE = 'schema:///';

/** One schema document: knows what its references mean. */
export class SchemaDocument {
  readonly main: Resource;
  /** Up to draft-07, whatever stands beside a `$ref` is ignored. */
  readonly refStandsAlone: boolean;
  #index: { resources: Map<string, Resource>; anchors: Map<string, Target> } | undefined;

  constructor(schema: JsonSchema) {
    const version = isJsonObject(schema) && Object.hasOwn(schema, '$schema') ? schema.$schema : '';
    this.refStandsAlone = typeof version === 'string' && /\/draft-0[3-7]\//.test(version);
    const start = { root: schema, uri: NOWHERE, location: '#' };
    this.main = isJsonObject(schema) ? this.resourceAt(schema, start, '#') : start;
  }

  /** The resource a schema stands in: a new one if it has an `$id`, else the one around it. */
  resourceAt(schema: SchemaObject, around: Resource, location: string): Resource {
    const id = this.#idOf(schema);
    if (id === undefined || id.startsWith('#')) return around;
    const uri = absolute(id, around.uri);
    if (uri === undefined) {
      throw invalidSchema(
        `${location}/$id`,
        `"${id}" is not a URI. Remove it or write a valid one.`,
      );
    }
    return { root: schema, uri: withoutFragment(uri), location };
  }

  resolve(reference: string, from: Resource, location: string): Target {
    if (reference === '' || reference === '#')
      return this.#pointer('', from, { reference, location });
    if (reference.startsWith('#/')) {
      return this.#pointer(reference.slice(1), from, { reference, location });
    }
    const uri = absolute(reference, from.uri);
    if (uri === undefined) throw invalidSchema(location, `"${reference}" is not a URI reference.`);
    const resource = this.#find().resources.get(withoutFragment(uri));
    if (resource === undefined) {
      throw invalidSchema(
        location,
        `"${reference}" points at another document, which is not loaded. Put what it points at under "$defs" and refer to it as "#/$defs/<name>".`,
      );
    }
    const fragment = uri.includes('#') ? uri.slice(uri.indexOf('#') + 1) : '';
    if (fragment === '' || fragment.startsWith('/')) {
      return this.#pointer(fragment, resource, { reference, location });
    }
    const anchored = this.#find().anchors.get(`${resource.uri}#${fragment}`);
    if (anchored !== undefined) return anchored;
    throw invalidSchema(location, `"${reference}" names no "$anchor" of this schema.`);
  }

  #pointer(pointer: string, from: Resource, why: { reference: string; location: string }): Target {
    let place: unknown = from.root;
    let resource = from;
    let location = from.location;
    for (const token of pointer.split('/').slice(1)) {
      const key = unescapeToken(token);
      const next = key === undefined ? undefined : stepInto(place, key);
      if (next === undefined) {
        const known = isJsonObject(place) ? Object.keys(place) : [];
        const hint = known.length > 0 ? ` At ${location} there is: ${describeNames(known)}.` : '';
        throw invalidSchema(why.location, `"${why.reference}" points at nothing.${hint}`);
      }
      place = next;
      location = `${location}/${token}`;
      if (isJsonObject(place)) resource = this.resourceAt(place, resource, location);
    }
    if (isSchema(place)) return { schema: place, resource, location };
    throw invalidSchema(
      why.location,
      `"${why.reference}" points at something that is not a schema.`,
    );
  }

  /** Made when first needed: most schemas only point into themselves by path. */
  #find() {
    if (this.#index !== undefined) return this.#index;
    const resources = new Map([[this.main.uri, this.main]]);
    const anchors = new Map<string, Target>();
    const seen = new Set<unknown>();
    const waiting: Target[] = [{ schema: this.main.root, resource: this.main, location: '#' }];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { schema, location } = next;
      if (!isJsonObject(schema) || seen.has(schema)) continue;
      seen.add(schema);
      const resource = this.resourceAt(schema, next.resource, location);
      resources.set(resource.uri, resource);
      for (const anchor of this.#anchorsOf(schema)) {
        anchors.set(`${resource.uri}#${anchor}`, { schema, resource, location });
      }
      for (const child of childSchemas(schema)) {
        waiting.push({ schema: child.schema, resource, location: `${location}/${child.at}` });
      }
    }
    this.#index = { resources, anchors };
    return this.#index;
  }

  #idOf(schema: SchemaObject): string | undefined {
    if (!Object.hasOwn(schema, '$id')) return undefined;
    if (this.refStandsAlone && Object.hasOwn(schema, '$ref')) return undefined;
    return typeof schema.$id === 'string' ? schema.$id : undefined;
  }

  #anchorsOf(schema: SchemaObject): string[] {
    const id = this.#idOf(schema);
    const names = ['$anchor', '$dynamicAnchor'].map(
      (key) => Object.hasOwn(schema, key) && schema[key],
    );
    if (id?.startsWith('#')) names.push(id.slice(1));
    return names.filter((name) => typeof name === 'string');
  }
}

function absolute(reference: string, base: string): string | undefined {
  try {
    return new URL(reference, base).href;
  } catch {
    return undefined;
  }
}

function withoutFragment(uri: string): string {
  const hash = uri.indexOf('#');
  return hash === -1 ? uri : uri.slice(0, hash);
}

function stepInto(place: unknown, key: string): unknown {
  if (Array.isArray(place)) return /^\d+$/.test(key) ? place[Number(key)] : undefined;
  return isJsonObject(place) && Object.hasOwn(place, key) ? place[key] : undefined;
}

function unescapeToken(token: string): string | undefined {
  try {
    return decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return undefined;
  }
}

/** A name as one step of a JSON pointer. */
export function pointerToken(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
