import { randomUUID } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';

export interface Note {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly updated: string;
}

/** Notes in one SQLite file, found by their words. */
export class Notes {
  readonly #database: DatabaseSync;

  constructor(file: string) {
    this.#database = new DatabaseSync(file);
    this.#database.exec(`
      create virtual table if not exists notes using fts5 (id unindexed, title, text, updated unindexed)
    `);
  }

  create(title: string, text: string): Note {
    const note = { id: randomUUID(), title, text, updated: new Date().toISOString() };
    this.#database
      .prepare('insert into notes (id, title, text, updated) values (?, ?, ?, ?)')
      .run(note.id, title, text, note.updated);
    return note;
  }

  read(id: string): Note | undefined {
    const row = this.#database.prepare('select * from notes where id = ?').get(id);
    return row && toNote(row);
  }

  /** Newest first. */
  list(limit: number): readonly Note[] {
    return this.#database
      .prepare('select * from notes order by updated desc, rowid desc limit ?')
      .all(limit)
      .map(toNote);
  }

  /** Notes with all of the words. They are words and nothing else, whatever is in them. */
  search(words: string, limit: number): readonly Note[] {
    const query = (words.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => `"${word}"*`).join(' ');
    if (query === '') return [];
    return this.#database
      .prepare('select * from notes where notes match ? order by rank limit ?')
      .all(query, limit)
      .map(toNote);
  }

  update(
    id: string,
    change: { readonly title?: string; readonly text?: string },
  ): Note | undefined {
    const before = this.read(id);
    if (before === undefined) return undefined;
    const after = { ...before, ...change, updated: new Date().toISOString() };
    this.#database
      .prepare('update notes set title = ?, text = ?, updated = ? where id = ?')
      .run(after.title, after.text, after.updated, id);
    return after;
  }

  close(): void {
    this.#database.close();
  }
}

function toNote(row: Record<string, unknown>): Note {
  const { id, title, text, updated } = row;
  return { id: String(id), title: String(title), text: String(text), updated: String(updated) };
}
