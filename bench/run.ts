import { globSync, mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { basename, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type { Bench } from './harness/bench.ts';
import { toMarkdown } from './harness/markdown.ts';
import type { MeasureOptions } from './harness/measure.ts';
import { runBench, type SectionResult } from './harness/run-bench.ts';
import type { LiveBench, TableResult } from './harness/table.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));
const thorough = { rounds: 60, sampleTime: 2, warmUpTime: 100 };
const quick = { rounds: 12, sampleTime: 1, warmUpTime: 30 };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false } },
});

const known = globSync('*.bench.ts', { cwd: folder }).sort();
const nameOf = (file: string) => basename(file, '.bench.ts');
const unknown = positionals.filter((name) => !known.some((file) => nameOf(file) === name));
if (unknown.length > 0) {
  console.error(`No bench ${unknown.join(', ')}. There are: ${known.map(nameOf).join(', ')}.`);
  process.exit(2);
}

const options: MeasureOptions = {
  clock: () => performance.now(),
  ...(values.quick ? quick : thorough),
};
console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}\n`);
for (const file of known) {
  if (positionals.length > 0 && !positionals.includes(nameOf(file))) continue;
  const { bench }: { bench: Bench | LiveBench } = await import(
    pathToFileURL(join(folder, file)).href
  );
  console.log(`## ${bench.name}\n`);
  const results: (SectionResult | TableResult)[] = [];
  const sections = 'run' in bench ? bench.run(values) : runBench(bench, options);
  for await (const result of sections) {
    results.push(result);
    console.log(`${toMarkdown(result)}\n`);
  }
  save(bench.name, results);
}

function save(name: string, sections: readonly (SectionResult | TableResult)[]): void {
  mkdirSync(join(folder, 'results'), { recursive: true });
  const machine = { node: process.version, cpus: cpus().length, model: cpus()[0]?.model };
  const text = JSON.stringify({ name, machine, quick: values.quick, sections }, null, 2);
  writeFileSync(join(folder, 'results', `${name}.json`), `${text}\n`);
}
