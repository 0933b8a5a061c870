import { isJsonObject } from '../json.ts';
import { type Budget, MAX_SCHEMA_DEPTH } from './budget.ts';
import { buildChecks } from './build-checks.ts';
import { describeValue } from './describe-value.ts';
import { refuseEndlessReferences } from './endless-references.ts';
import { invalidSchema } from './invalid-schema.ts';
import type { JsonSchema } from './json-schema.ts';
import { isSchema, KeywordReader } from './keyword-reader.ts';
import { type Inside, readKeywords } from './read-keywords.ts';
import { type Resource, SchemaDocument, type Target } from './schema-document.ts';
import { SchemaNode } from './schema-node.ts';

/** A schema written as a tree by sharing objects can be far bigger than it looks. */
const MAX_NODES = 20_000;

/**
 * Reads a schema and everything it refers to into linked nodes with their checks built. Schemas
 * nobody refers to are not read. Throws `invalid_schema`.
 */
export function readSchema(schema: JsonSchema): SchemaNode {
  const document = new SchemaDocument(schema);
  return new SchemaReader(document).readAll();
}

interface Place {
  readonly resource: Resource;
  readonly location: string;
  readonly depth: number;
}

/**
 * Reading goes down the schema as it is written; what a `$ref` points at waits in a queue and is
 * read from there, so a long chain of references is no deep recursion.
 */
class SchemaReader {
  readonly #document: SchemaDocument;
  readonly #budget: Budget = { depth: 0, hops: 0 };
  readonly #targets = new Map<JsonSchema, SchemaNode>();
  readonly #waiting: { node: SchemaNode; resource: Resource }[] = [];
  #count = 0;

  constructor(document: SchemaDocument) {
    this.#document = document;
  }

  readAll(): SchemaNode {
    const { main } = this.#document;
    const root = this.#target({ schema: main.root, resource: main, location: '#' });
    const read: SchemaNode[] = [];
    for (let next = this.#waiting.pop(); next !== undefined; next = this.#waiting.pop()) {
      this.#fill(next.node, next.resource);
      read.push(next.node);
    }
    refuseEndlessReferences(read);
    return root;
  }

  /** The node of something referred to: made once, read later. */
  #target({ schema, resource, location }: Target): SchemaNode {
    const known = typeof schema === 'boolean' ? undefined : this.#targets.get(schema);
    if (known !== undefined) return known;
    const node = this.#create(schema, { resource, location, depth: 1 });
    this.#targets.set(schema, node);
    this.#waiting.push({ node, resource });
    return node;
  }

  #create(schema: JsonSchema, { location, depth }: Place): SchemaNode {
    this.#count += 1;
    if (this.#count > MAX_NODES) {
      throw invalidSchema(location, `it holds more than ${MAX_NODES} schemas. Make it smaller.`);
    }
    return new SchemaNode(schema, { location, depth, budget: this.#budget });
  }

  #child(value: unknown, place: Place): SchemaNode {
    if (!isSchema(value)) {
      throw invalidSchema(place.location, `must be a schema, but is ${describeValue(value)}.`);
    }
    if (place.depth > MAX_SCHEMA_DEPTH) {
      throw invalidSchema(
        '#',
        `it nests more than ${MAX_SCHEMA_DEPTH} schemas, or contains itself. Use "$defs" and "$ref".`,
      );
    }
    const node = this.#create(value, place);
    const resource = isJsonObject(value)
      ? this.#document.resourceAt(value, place.resource, place.location)
      : place.resource;
    this.#fill(node, resource);
    return node;
  }

  #fill(node: SchemaNode, resource: Resource): void {
    if (typeof node.source !== 'boolean') {
      const read = new KeywordReader(node.source, node.location);
      const inside: Inside = (at, value) => {
        const location = `${node.location}/${at}`;
        return this.#child(value, { resource, location, depth: node.depth + 1 });
      };
      const [ref, ...others] = this.#references(read, node, resource);
      node.ref = ref;
      if (ref === undefined || !this.#document.refStandsAlone) readKeywords(node, read, inside);
      if (others.length > 0) node.allOf = [...node.allOf, ...others];
    }
    buildChecks(node);
  }

  /** `$dynamicRef` and `$recursiveRef` are followed as plain references within the document. */
  #references(read: KeywordReader, node: SchemaNode, resource: Resource): SchemaNode[] {
    const found: SchemaNode[] = [];
    for (const keyword of ['$ref', '$dynamicRef', '$recursiveRef']) {
      const reference = read.text(keyword);
      if (reference === undefined) continue;
      const location = `${node.location}/${keyword}`;
      found.push(this.#target(this.#document.resolve(reference, resource, location)));
    }
    return found;
  }
}
