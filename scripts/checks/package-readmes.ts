import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { proseLines, readExamples } from './readme-example.ts';
import { listPackages } from './source-files.ts';
import type { Violation } from './violation.ts';

const mostLines = 15;

/** Every package says in a few lines what it is, with one example that a test runs. */
export function checkPackageReadmes(root: string): Violation[] {
  return listPackages(root).flatMap(({ folder }) => {
    const file = `${folder}/README.md`;
    const path = join(root, file);
    if (!existsSync(path)) {
      const fix = `Write at most ${mostLines} lines on its one idea, with one \`\`\`ts example.`;
      return [{ file, line: 1, problem: 'is missing.', fix }];
    }
    return checkReadme(file, readFileSync(path, 'utf8'));
  });
}

function checkReadme(file: string, text: string): Violation[] {
  const found: Violation[] = [];
  const examples = readExamples(text);
  if (examples.length !== 1) {
    found.push({
      file,
      line: examples[1]?.line ?? 1,
      problem: `has ${examples.length} \`\`\`ts examples.`,
      fix: 'Keep exactly one, complete enough to run on its own.',
    });
  }
  const prose = proseLines(text);
  if (prose > mostLines) {
    found.push({
      file,
      line: 1,
      problem: `has ${prose} lines of prose.`,
      fix: `Keep it to ${mostLines}; longer texts belong in docs/.`,
    });
  }
  return found;
}
