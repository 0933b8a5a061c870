import * as z from 'zod';

/** What the scripted model does in a run: the tools of each turn. It is the run's first message. */
export const taskSchema = z.object({
  name: z.string(),
  turns: z.array(z.array(z.string())),
  /** Many models number their calls anew in every turn. */
  reusesIds: z.boolean(),
});
export type Task = z.infer<typeof taskSchema>;

export function readTask(text: string): Task | undefined {
  if (!text.startsWith('{')) return undefined;
  return taskSchema.parse(JSON.parse(text));
}

/** Together they hold every kind of tool, alone and in mixed batches. */
const shapes: readonly (readonly (readonly string[])[])[] = [
  [['note'], ['pay'], ['note', 'pay']],
  [['pay', 'slow', 'note'], ['pay']],
  [['guarded'], ['note']],
  [['note', 'guarded', 'pay'], ['careful']],
  [['background', 'note'], ['pay']],
  [['delegate', 'pay'], ['note']],
  [['ask'], ['guarded', 'slow']],
  [['pay'], ['pay'], ['pay'], ['slow']],
];

/** The shapes in turn, each with ids of both kinds. */
export function makeTask(name: string, index: number): Task {
  const turns = shapes[index % shapes.length] ?? [];
  const reusesIds = Math.floor(index / shapes.length) % 2 === 0;
  return { name, turns: turns.map((tools) => [...tools]), reusesIds };
}
