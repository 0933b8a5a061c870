import type { CommandContext, WorkshopOptions } from '../context.ts';
import type { Workshop } from '../workshop/workshop.ts';

/** Opens the workshop, does something with it, and closes it whatever happens. */
export async function withWorkshop<T>(
  context: CommandContext,
  options: Partial<Omit<WorkshopOptions, 'context'>>,
  work: (workshop: Workshop) => Promise<T>,
): Promise<T> {
  const workshop = await context.openWorkshop({ context, flags: {}, ...options });
  try {
    return await work(workshop);
  } finally {
    await workshop.close();
  }
}
