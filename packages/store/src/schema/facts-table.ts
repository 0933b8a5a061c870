import type { SchemaMake } from './schema-make.ts';

/** Facts, and what each make searches them by. */
export function factsTable({ int, serial, tableEnd, factSearch }: SchemaMake): readonly string[] {
  return [
    `create table facts (
      id ${serial},
      scope text not null,
      key text not null,
      value text not null,
      source text,
      created_at ${int} not null,
      updated_at ${int} not null
    )${tableEnd}`,
    'create unique index facts_by_key on facts (scope, key)',
    'create index facts_by_age on facts (scope, updated_at, id)',
    'create index facts_oldest on facts (updated_at, id)',
    ...factSearch,
  ];
}
