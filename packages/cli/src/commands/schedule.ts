import type { Command } from 'commander';
import type { CommandContext } from '../context.ts';
import type { ScheduleFlags } from '../runs/schedules.ts';

const examples = `
Schedules are fired by "forge worker". Each of their runs begins with the commit that this repository
has checked out then.

Examples:
  forge schedule add "look for outdated packages" --cron "0 9 * * 1" --zone Europe/Berlin
  forge schedule add "check the service" --every 30m
  forge schedule add "remind me of the release" --in 2h
  forge schedule list
  forge schedule pause 3f2a91c0`;

/** `forge schedule`: runs at set times. */
export function addSchedule(program: Command, context: CommandContext): void {
  const schedule = program
    .command('schedule')
    .description('runs at set times')
    .addHelpText('after', examples);
  addList(schedule, context);
  addAdd(schedule, context);
  addChanges(schedule, context);
}

function addList(schedule: Command, context: CommandContext) {
  schedule
    .command('list')
    .description('the schedules there are, with their next times')
    .option('--all', 'those that have ended too')
    .option('--json', 'print them as JSON')
    .addHelpText('after', '\nExample:\n  forge schedule list --json')
    .action(async ({ all = false, json = false }: { all?: boolean; json?: boolean }) => {
      const { listSchedules } = await import('../runs/schedules.ts');
      await listSchedules(context, { all, json });
    });
}

function addAdd(schedule: Command, context: CommandContext) {
  schedule
    .command('add')
    .description('a new one; give one of --cron, --every, --at and --in')
    .argument('<task>', 'what the agent is told each time')
    .option('--agent <name>', 'who does it', 'agent')
    .option('--cron <rule>', 'five fields, such as "0 9 * * 1-5"')
    .option('--every <span>', 'such as 30m, 2h or 1d')
    .option('--at <time>', 'once, such as 2026-12-24T18:00')
    .option('--in <span>', 'once, such as 2h from now')
    .option('--zone <name>', 'the time zone of --cron and --at (default: that of this machine)')
    .option('--name <text>', 'what to call it')
    .option('--times <number>', 'how often it fires before it ends')
    .option('--json', 'print it as JSON')
    .addHelpText('after', '\nExample:\n  forge schedule add "tidy up" --every 1d')
    .action(async (task: string, flags: ScheduleFlags) => {
      const { addNewSchedule } = await import('../runs/schedules.ts');
      await addNewSchedule(context, { task, ...flags });
    });
}

const changes = {
  pause: 'it does not fire until it is resumed',
  resume: 'it goes on with its next time from now',
  remove: 'it ends; its history stays',
  run: 'fire it now, beside its rule',
} as const;

function addChanges(schedule: Command, context: CommandContext) {
  for (const [name, about] of Object.entries(changes)) {
    schedule
      .command(name)
      .description(about)
      .argument('<schedule>', 'its id, or the beginning of it')
      .option('--json', 'print the result as JSON')
      .addHelpText('after', `\nExample:\n  forge schedule ${name} 3f2a91c0`)
      .action(async (id: string, { json = false }: { json?: boolean }) => {
        const { changeSchedule } = await import('../runs/schedules.ts');
        await changeSchedule(context, { id, name: name as keyof typeof changes, json });
      });
  }
}
