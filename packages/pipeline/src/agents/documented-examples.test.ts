import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { calls } from '@forge/core/testing';
import { parse } from 'yaml';
import { openShop, outputOf } from './agent-fixtures.test.ts';
import { makeFolder } from './git-fixtures.test.ts';
import { loadProfiles } from './profiles/load-profiles.ts';
import { loadPrompt, promptNames } from './prompt/load-prompt.ts';
import { folderFiles } from './prompt/project-files.ts';

const docs = fileURLToPath(new URL('../../../../docs/', import.meta.url));
const page = readFileSync(join(docs, 'agents.md'), 'utf8');

/** The examples of a language, in order. */
function examples(language: string): readonly string[] {
  return [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(([, found, text = '']) =>
    found === language ? [text] : [],
  );
}

async function inFolder<T>(files: Record<string, string>, use: (folder: string) => Promise<T>) {
  const folder = await makeFolder(files);
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe('docs/agents.md', () => {
  it('shows a prompt that a project can put in the place of ours', async () => {
    const [text = ''] = examples('md');
    await inFolder({ '.forge/prompts/coder.md': text }, async (folder) => {
      const shop = await openShop({ project: folderFiles(folder) });
      try {
        const { instructions, version } = shop.agents.coder;
        assert.match(instructions, /^You change the repository[\s\S]*\*\*finish\*\*/);
        const ours = await loadPrompt({ name: 'coder' });
        assert.notEqual(version, ours.version);
      } finally {
        await shop.close();
      }
    });
  });

  it('shows a profile that can be loaded', async () => {
    const [text = ''] = examples('yaml');
    await inFolder({ 'docs.yaml': text }, async (folder) => {
      const { name, maxIterations } = (await loadProfiles([folder])).get('docs');
      assert.deepEqual([name, maxIterations], ['Documentation', 15]);
    });
  });

  it('shows an agent of the configuration that works', async () => {
    const { auditor } = parse(examples('yaml')[1] ?? '').agents;
    await inFolder({ 'agents/auditor.md': 'Judge.' }, async (folder) => {
      const shop = await openShop({ project: folderFiles(folder) });
      try {
        const agent = await shop.agents.customAgent('auditor', auditor);
        const result = await shop.work(agent, 'The last change.', [
          calls(['submit', { risk: 11, why: 'x' }]),
          calls(['submit', { risk: 2, why: 'small' }]),
        ]);
        assert.deepEqual(outputOf(result), { risk: 2, why: 'small' });
      } finally {
        await shop.close();
      }
    });
  });

  it('links to every prompt that comes with Forge, and no other', () => {
    const links = [...page.matchAll(/prompts\/(\w+)\.md\)/g)].map(([, name]) => name);
    assert.deepEqual(links.sort(), [...promptNames].sort());
    for (const [, link = ''] of page.matchAll(/\]\((\.\.[^)]+)\)/g)) readFileSync(join(docs, link));
  });
});
