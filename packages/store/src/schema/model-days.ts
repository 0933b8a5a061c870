import type { SchemaMake } from './schema-make.ts';

/**
 * The daily figures by model too, with replies counted. What was counted before is of no known
 * model, and the replies of runs that were pruned are not known any more.
 */
export function modelDays({ daysByModel, dayOfEvent }: SchemaMake): readonly string[] {
  return [
    ...daysByModel,
    `insert into daily_stats (day, agent, model, replies)
      select ${dayOfEvent}, runs.agent, '', count(*)
      from events join runs on runs.id = events.run_id
      where events.type = 'model.replied' and events.seq > runs.forked_seq
      group by ${dayOfEvent}, runs.agent
      on conflict (day, agent, model) do update set replies = excluded.replies`,
  ];
}
