import type { StandardSchemaV1 } from '@standard-schema/spec';
import { ForgeError, messageOf } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import type { ToolSpec } from '../models.ts';
import { type CompiledSchema, compileSchema, type SchemaIssue } from '../schema/compile-schema.ts';
import { formatPath } from '../schema/format-path.ts';
import type { JsonSchema } from '../schema/json-schema.ts';
import { isStandardSchema, toJsonSchema } from '../schema/standard-schema.ts';
import type { AskPerson } from './ask-person.ts';

/** A tool that must have succeeded before; with `match`, for the same value of that argument. */
export type Prerequisite = string | { readonly tool: string; readonly match: string };

export interface ToolContext {
  readonly runId: string;
  readonly callId: string;
  /** The same for every try of the same call: pass it to services that dedupe. */
  readonly idempotencyKey: string;
  /** Aborts when the run is cancelled or the tool's time is up. */
  readonly signal: AbortSignal;
  /** Asks a person something about this call. Missing where the driver can reach nobody. */
  readonly askPerson?: AskPerson;
}

interface ToolOptions<Args> {
  readonly name: string;
  readonly description: string;
  /** Carries the call out. Leave it out for a call that is answered from outside. */
  readonly run?: (args: Args, context: ToolContext) => unknown;
  readonly prerequisites?: readonly Prerequisite[];
  /** Safe to repeat after a crash. Default false. */
  readonly idempotent?: boolean;
  /**
   * Milliseconds before a call is given up. They stand still while it asks a person, and count anew
   * from the answer. Default: no limit of its own.
   */
  readonly timeout?: number;
  /** Whether a person must say yes first. Default false. */
  readonly approval?: boolean | ((args: JsonObject) => boolean);
  /**
   * Why a call with these arguments may not run, or undefined if it may. Asked before any person is,
   * and again for arguments a person put in place. Must be pure: what it says is decided again when
   * a run is taken up elsewhere.
   */
  readonly denies?: (args: JsonObject) => string | undefined;
  /** How often it may run in one run. Default: no limit of its own. */
  readonly budget?: ToolBudget;
  /** Whether its result wakes the model. Default true. */
  readonly triggers?: boolean;
  /** Milliseconds after which a durable run goes on without it; its result comes late. */
  readonly backgroundAfter?: number;
  /** Who answers a call that has no `run`. */
  readonly answeredBy?: AnsweredBy;
}

/** A number of calls in one run that several tools may share. Calls that were refused cost nothing. */
export interface ToolBudget {
  readonly calls: number;
  /** The names of the tools that share it. */
  readonly tools: readonly string[];
}

/** Who answers a call from outside, for drivers that know how to reach them. */
export type AnsweredBy =
  /** A run of that agent, whose output is the result. */
  | { readonly type: 'agent'; readonly agent: string }
  /** A person. */
  | { readonly type: 'person' };

/** A tool as the kernel knows it. Make one with {@link defineTool}. */
export interface Tool {
  readonly spec: ToolSpec;
  readonly schema: CompiledSchema;
  /**
   * What the input schema says beyond JSON Schema (refinements). Empty when it agrees, or when it
   * can only tell later: then `run` asks it again, and a no is a failed call.
   */
  readonly refine: (args: JsonObject) => readonly SchemaIssue[];
  readonly run?: (args: JsonObject, context: ToolContext) => unknown;
  readonly prerequisites: readonly Prerequisite[];
  readonly idempotent: boolean;
  readonly timeout?: number;
  readonly needsApproval: (args: JsonObject) => boolean;
  readonly denies?: (args: JsonObject) => string | undefined;
  readonly budget?: ToolBudget;
  readonly triggers: boolean;
  readonly backgroundAfter?: number;
  readonly answeredBy?: AnsweredBy;
}

const toolName = /^[^\s]{1,128}$/;

/**
 * A tool, from a Zod schema, any other Standard Schema, or plain JSON Schema. The model sees
 * the schema, every call is checked against it, and `run` gets the parsed arguments.
 *
 * @example
 * const forecast = defineTool({
 *   name: 'get_forecast',
 *   description: 'Weather forecast for a city',
 *   input: z.object({ city: z.string(), days: z.int().optional() }),
 *   run: async ({ city, days = 1 }) => fetchForecast(city, days),
 * });
 */
export function defineTool<S extends StandardSchemaV1>(
  options: ToolOptions<StandardSchemaV1.InferOutput<S>> & { readonly input: S },
): Tool;
export function defineTool(options: ToolOptions<JsonObject> & { readonly input: JsonSchema }): Tool;
export function defineTool(
  // The two signatures above are the contract; `run` takes what the schema's own parse returns.
  options: ToolOptions<never> & { readonly input: StandardSchemaV1 | JsonSchema },
): Tool {
  const { name, input, run, timeout, approval = false } = options;
  if (typeof name !== 'string' || !toolName.test(name)) {
    throw new ForgeError(
      'invalid_tool',
      `A tool's name is 1 to 128 characters without spaces, not ${JSON.stringify(name)}.`,
    );
  }
  if (timeout !== undefined && !(timeout > 0)) {
    throw new ForgeError(
      'invalid_tool',
      `Tool "${name}": timeout must be above 0 ms, not ${timeout}.`,
    );
  }
  if (run !== undefined && options.answeredBy !== undefined) {
    throw new ForgeError(
      'invalid_tool',
      `Tool "${name}" has both run and answeredBy. Leave run out: the result comes from outside.`,
    );
  }
  const inputSchema = readInput(name, input);
  const parse = isStandardSchema(input) ? input['~standard'].validate : undefined;
  return {
    spec: { name, description: options.description, inputSchema },
    schema: compileInput(name, inputSchema),
    refine: parse === undefined ? noIssues : (args) => refineWith(parse, args),
    run:
      run === undefined
        ? undefined
        : async (args, context) => run((await parsed(parse, args)) as never, context),
    prerequisites: options.prerequisites ?? [],
    idempotent: options.idempotent ?? false,
    timeout,
    needsApproval: typeof approval === 'function' ? approval : () => approval,
    denies: options.denies,
    budget: options.budget,
    triggers: options.triggers ?? true,
    backgroundAfter: options.backgroundAfter,
    answeredBy: options.answeredBy,
  };
}

const none: readonly SchemaIssue[] = [];
const noIssues = () => none;

function readInput(name: string, input: StandardSchemaV1 | JsonSchema): JsonSchema {
  try {
    return toJsonSchema(input);
  } catch (error) {
    throw new ForgeError('invalid_tool', `Tool "${name}": ${messageOf(error)}`, { cause: error });
  }
}

function compileInput(name: string, schema: JsonSchema): CompiledSchema {
  try {
    return compileSchema(schema);
  } catch (error) {
    throw new ForgeError('invalid_tool', `Tool "${name}": ${messageOf(error)}`, { cause: error });
  }
}

type Parse = StandardSchemaV1['~standard']['validate'];
const mostIssues = 10;

/** A refinement that throws says no, in its own words: it may have been `new URL(value)`. */
function refineWith(parse: Parse, args: JsonObject): readonly SchemaIssue[] {
  try {
    const result = parse(args);
    if (!('then' in result)) return issuesOf(result);
    result.catch(() => {}); // What it says is heard in run().
    return none;
  } catch (error) {
    return [{ path: [], keyword: 'refine', message: messageOf(error) }];
  }
}

function issuesOf({ issues }: StandardSchemaV1.Result<unknown>): readonly SchemaIssue[] {
  if (!issues) return none;
  return issues.slice(0, mostIssues).map((issue) => ({
    path: (issue.path ?? []).map((step) => {
      const key = typeof step === 'object' ? step.key : step;
      return typeof key === 'symbol' ? String(key) : key;
    }),
    keyword: 'refine',
    message: issue.message,
  }));
}

/** The schema's own output (defaults, transforms), which is what `run` was written for. */
async function parsed(parse: Parse | undefined, args: JsonObject): Promise<unknown> {
  if (parse === undefined) return args;
  const result = await parse(args);
  if (!result.issues) return result.value;
  const faults = issuesOf(result).map(({ path, message }) => `${formatPath(path)}: ${message}`);
  throw new ForgeError('tool_failed', `The arguments do not fit. ${faults.join('; ')}`);
}
