import {
  type AbuseBackend,
  type AbuseGroup,
  abuseBackends,
  type Expectation,
} from './abuse-case.ts';

/** What a table says of one case on one backend; the note is what was seen. */
export interface Cell {
  readonly verdict: Expectation;
  readonly note: string;
}

export type Results = ReadonlyMap<string, Readonly<Record<AbuseBackend, Cell>>>;

const begin = '<!-- abuse table: written by scripts/security-table.ts -->';
const end = '<!-- end of the abuse table -->';
const between = ' – ';

/** One name for a case among all groups. */
export function keyOf(group: string, name: string): string {
  return `${group}/${name}`;
}

export function renderTables(groups: readonly AbuseGroup[], results: Results): string {
  const tables = groups.map(({ title, cases }) => {
    const rows = cases.map(({ name, tries }) => {
      const found = results.get(keyOf(title, name));
      const cells = abuseBackends.map((backend) => renderCell(found?.[backend]));
      return row([name, tries, ...cells]);
    });
    const head = [
      row(['what', 'what it tries', ...abuseBackends]),
      row(['---', '---', '---', '---', '---']),
    ];
    return [`### ${title}`, '', ...head, ...rows].join('\n');
  });
  return tables.join('\n\n');
}

/** The document with other tables between its marks. */
export function putTables(document: string, tables: string): string {
  const [from, to] = marksOf(document);
  return `${document.slice(0, from)}\n\n${tables}\n\n${document.slice(to)}`;
}

/** The tables of a document as lines of cells: group, name, what it tries, a verdict per backend. */
export function readTables(document: string): readonly (readonly string[])[] {
  const [from, to] = marksOf(document);
  let title = '';
  const found: string[][] = [];
  for (const line of document.slice(from, to).split('\n')) {
    if (line.startsWith('### ')) title = line.slice(4);
    if (!line.startsWith('| ') || line.startsWith('| what |') || line.startsWith('| --- |'))
      continue;
    const [name = '', tries = '', ...cells] = line
      .slice(2, -2)
      .split(/ (?<!\\)\| /)
      .map((cell) => cell.replaceAll('\\|', '|'));
    found.push([title, name, tries, ...cells.map((cell) => cell.split(between)[0] ?? '')]);
  }
  return found;
}

function marksOf(document: string): [number, number] {
  const from = document.indexOf(begin);
  const to = document.indexOf(end);
  if (from < 0 || to < from) throw new Error(`The document needs the marks ${begin} and ${end}.`);
  return [from + begin.length, to];
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function renderCell(cell: Cell | undefined): string {
  if (cell === undefined) return '';
  const { verdict, note } = cell;
  return note === '' ? verdict : `${verdict}${between}${note}`;
}
