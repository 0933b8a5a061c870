import {
  type AskPerson,
  compileSchema,
  isJsonObject,
  type JsonObject,
  type JsonSchema,
  messageOf,
  neutralise,
} from '@forge/core';
import {
  type Client,
  type ClientCapabilities,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/client';
import type { AskHuman, HumanAnswer, HumanRequest, ServerPorts } from './ports.ts';

export interface AnswerOptions {
  readonly server: string;
  readonly ports: ServerPorts;
  /** How the caller asks for whom the server works now, if that is known and it can. */
  readonly askPerson: () => AskPerson | undefined;
  /** Runs while the clocks of this server's calls stand still. */
  readonly unhurried: <T>(task: () => Promise<T>) => Promise<T>;
}

/** Questions a server may have open at our port; more are cancelled unseen. A call has its own limit. */
const mostQuestions = 4;

export function capabilitiesOf(ports: ServerPorts): ClientCapabilities {
  const { sample, roots } = ports;
  return {
    ...(hasPeople(ports) && { elicitation: { form: {}, url: {} } }),
    ...(sample !== undefined && { sampling: {} }),
    ...(roots !== undefined && { roots: {} }),
  };
}

function hasPeople({ askHuman, callersAskPeople = false }: ServerPorts): boolean {
  return askHuman !== undefined || callersAskPeople;
}

/** Wires what a server may ask of us to the ports. */
export function answerServer(client: Client, options: AnswerOptions): void {
  const { server, ports, unhurried } = options;
  const { sample, roots } = ports;
  if (hasPeople(ports)) {
    const ask = createAsk(options);
    client.setRequestHandler('elicitation/create', async ({ params }, { mcpReq }) => {
      const { signal } = mcpReq;
      const message = neutralise(params.message);
      if (params.mode === 'url') {
        refuseOddPage(params.url);
        const { action } = await ask({ server, message, url: params.url, signal });
        return { action };
      }
      const schema: JsonSchema = { ...params.requestedSchema };
      return toResult(await ask({ server, message, schema, signal }), schema);
    });
  }
  if (sample !== undefined) {
    client.setRequestHandler('sampling/createMessage', ({ params }, { mcpReq }) =>
      unhurried(() => sample({ server, params, signal: mcpReq.signal })),
    );
  }
  if (roots !== undefined) {
    client.setRequestHandler('roots/list', () => ({ roots: roots().map((root) => ({ ...root })) }));
  }
}

/** The caller's people first, then those of the port; a server nobody listens to is declined. */
function createAsk({ ports, unhurried, askPerson }: AnswerOptions): AskHuman {
  const { askHuman, callersAskPeople = false } = ports;
  let questions = 0;
  return async (request) => {
    const askCaller = callersAskPeople ? askPerson() : undefined;
    if (askCaller !== undefined) return await unhurried(() => askAsCaller(askCaller, request));
    if (askHuman === undefined) return { action: 'decline' };
    if (questions >= mostQuestions) return { action: 'cancel' };
    questions++;
    return await unhurried(() => askHuman(request)).finally(() => {
      questions--;
    });
  };
}

async function askAsCaller(
  ask: AskPerson,
  { server, ...question }: HumanRequest,
): Promise<HumanAnswer> {
  const context = `The MCP server "${server}" asks this while it works on the call.`;
  const answer = await ask({ ...question, context });
  if (answer.action !== 'accept') return { action: answer.action };
  return { action: 'accept', content: isJsonObject(answer.content) ? answer.content : {} };
}

/** A person may click on it. */
function refuseOddPage(url: string): void {
  if (/^https?:$/.test(URL.parse(url)?.protocol ?? '')) return;
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    'A page for a person must be at http: or https:.',
  );
}

type FormValue = string | number | boolean | string[];

/** What does not fit the form never reaches the server. */
function toResult(
  answer: HumanAnswer,
  schema: JsonSchema,
): { action: HumanAnswer['action']; content?: Record<string, FormValue> } {
  if (answer.action !== 'accept') return { action: answer.action };
  const content = answer.content ?? {};
  const issues = compileForm(schema).issues(content, 3);
  if (issues.length > 0) {
    const faults = issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; ');
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `The answer does not fit: ${faults}`);
  }
  return { action: 'accept', content: formValues(content) };
}

function compileForm(schema: JsonSchema) {
  try {
    return compileSchema(schema);
  } catch (error) {
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `The form cannot be read: ${messageOf(error)}`,
    );
  }
}

/** A form is flat: text, numbers, yes or no, and lists of text. Anything else is left out. */
function formValues(content: JsonObject): Record<string, FormValue> {
  const values: Record<string, FormValue> = {};
  for (const [key, value] of Object.entries(content)) {
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
      values[key] = value;
    } else if (Array.isArray(value)) {
      values[key] = value.filter((item): item is string => typeof item === 'string');
    }
  }
  return values;
}
