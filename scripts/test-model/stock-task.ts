import {
  type Agent,
  defineAgent,
  defineTool,
  type Message,
  type RunResult,
  type Switches,
  ToolResolutionError,
  text,
  userMessage,
} from '@forge/core';
import * as z from 'zod';

/** A question that takes one right look-up and one right report. */
export interface StockTask {
  readonly question: string;
  readonly tool: 'get_price' | 'get_stock' | 'get_supplier';
  readonly item: string;
  /** What only the look-up tells, and the report must repeat. */
  readonly value: string;
}

const items = ['hammer', 'ladder', 'paint', 'drill', 'rope'] as const;

const facts = {
  get_price: { hammer: '17', ladder: '84', paint: '23', drill: '129' },
  get_stock: { hammer: '42', rope: '8', paint: '316' },
  get_supplier: { ladder: 'Nordberg', drill: 'Kestrel', rope: 'Halyard' },
} as const;

/** Asked and answered before, as an example to the model. None of them is a task. */
const examples: readonly StockTask[] = [
  {
    tool: 'get_stock',
    item: 'ladder',
    value: '12',
    question: 'How many pieces of ladder are in stock?',
  },
  {
    tool: 'get_supplier',
    item: 'paint',
    value: 'Colora',
    question: 'Which supplier do we buy the paint from?',
  },
];

const wording = {
  get_price: (item: string) => `What does a ${item} cost?`,
  get_stock: (item: string) => `How many pieces of ${item} are in stock?`,
  get_supplier: (item: string) => `Which supplier do we buy the ${item} from?`,
} as const;

const names = ['get_price', 'get_stock', 'get_supplier'] as const;

export const stockTasks: readonly StockTask[] = names.flatMap((tool) =>
  Object.entries(facts[tool]).map(([item, value]) => ({
    question: wording[tool](item),
    tool,
    item,
    value,
  })),
);

const descriptions = {
  get_price: 'The price of an item in dollars',
  get_stock: 'How many pieces of an item are in stock',
  get_supplier: 'The name of the supplier of an item',
} as const;

const lookUps = names.map((name) =>
  defineTool({
    name,
    description: descriptions[name],
    input: z.object({ item: z.enum(items) }),
    run: ({ item }) => {
      const found = new Map<string, string>(Object.entries(facts[name])).get(item);
      if (found === undefined) throw new ToolResolutionError(`Nothing is known about ${item}.`);
      return found;
    },
  }),
);

const report = defineTool({
  name: 'report',
  description: 'Report the value that was looked up. Call it last.',
  input: z.object({ value: z.string() }),
  run: () => 'done',
});

/** Four tools, of which one look-up must come first and the report ends the run. */
export function stockAgent(task: StockTask, guardrails: Partial<Switches>): Agent {
  return defineAgent({
    name: 'stock',
    instructions:
      'You look things up in a warehouse. First call the right tool, then call report with the value it gave.',
    tools: [...lookUps, report],
    requiredSteps: [task.tool],
    terminalTools: ['report'],
    guardrails,
    limits: { turns: 6 },
  });
}

/** Two worked examples: the look-up, what it gave, the report. */
export const stockHistory: readonly Message[] = examples.flatMap(
  ({ question, tool, item, value }, index): Message[] => {
    const [asked, told] = [`example_${index}_1`, `example_${index}_2`];
    return [
      userMessage(question),
      callOf(asked, tool, { item }),
      resultOf(asked, tool, value),
      callOf(told, 'report', { value }),
      resultOf(told, 'report', 'done'),
    ];
  },
);

function callOf(id: string, name: string, args: Record<string, string>): Message {
  return { role: 'assistant', content: [{ type: 'tool_call', id, name, args }] };
}

function resultOf(callId: string, name: string, value: string): Message {
  return { role: 'tool', content: [{ type: 'tool_result', callId, name, content: [text(value)] }] };
}

/** Whether the run looked the right thing up and reported what it found. */
export function isSolved(task: StockTask, { status, events }: RunResult): boolean {
  if (status !== 'completed') return false;
  const ran = events.filter((event) => event.type === 'tool.started');
  const lookedUp = ran.some(({ name, args }) => name === task.tool && args.item === task.item);
  const reported = ran.some(({ name, args }) => name === 'report' && args.value === task.value);
  return lookedUp && reported;
}
