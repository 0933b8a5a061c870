import type { Workshop } from '../workshop/workshop.ts';

const patienceMs = 30_000;

/** Ends what the demo deployed. Nothing to end is no failure. */
export async function stopService(workshop: Workshop): Promise<void> {
  const { project, settings } = workshop;
  const { target = 'process', config } = settings.deploy;
  const deployer = await workshop.deployer();
  await deployer.withdraw({
    project,
    target,
    config,
    reason: 'The demo has ended.',
    signal: AbortSignal.timeout(patienceMs),
  });
}
