import { definitionHash, type McpToolDefinition } from '../catalog/mcp-tool-definition.ts';
import type { Pin, PinRecords, ServerPins } from './pin-records.ts';

export interface Observation {
  readonly server: string;
  readonly origin: string;
  readonly tools: readonly McpToolDefinition[];
  readonly at: number;
}

/**
 * Pins of tools that are no longer listed stay: a tool that comes back is the old one. Past this many
 * only those that somebody agreed to do, or a server could flood its way to a clean sheet.
 */
const mostPins = 4_000;

/**
 * The records after a server listed its tools: unknown ones are noted as they are, others are
 * compared with what is pinned. The same object if nothing is new.
 */
export function observeTools(records: PinRecords, observation: Observation): PinRecords {
  const { server, origin, tools, at } = observation;
  const known = records.servers[server];
  const before = known?.origin === origin ? known.tools : {};
  const seen: Record<string, Pin> = {};
  let isNews = known?.origin !== origin;
  for (const definition of tools) {
    const pin = Object.hasOwn(before, definition.name) ? before[definition.name] : undefined;
    const next = observeTool(pin, definition, at);
    if (next !== pin) isNews = true;
    seen[definition.name] = next;
  }
  if (!isNews) return records;
  const all = { ...before, ...seen };
  const agreed = () =>
    Object.fromEntries(Object.entries(before).filter(([, pin]) => pin.approvedAt !== undefined));
  const isFull = Object.keys(all).length > mostPins;
  const after: ServerPins = { origin, tools: isFull ? { ...agreed(), ...seen } : all };
  return { ...records, servers: { ...records.servers, [server]: after } };
}

function observeTool(pin: Pin | undefined, definition: McpToolDefinition, at: number): Pin {
  const hash = definitionHash(definition);
  if (pin === undefined) return { hash, definition, seenAt: at };
  if (pin.hash === hash) {
    if (pin.changed === undefined) return pin;
    const { changed: _, ...asItWas } = pin; // It went back to what was agreed.
    return asItWas;
  }
  return pin.changed?.hash === hash ? pin : { ...pin, changed: { hash, definition, at } };
}
