import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ForgeError } from '@forge/core';
import { parse } from 'yaml';
import { defaultPipeline } from '../default-pipeline.ts';
import { agentContracts } from './agent-contracts.ts';
import { checkPipeline } from './check-pipeline.ts';
import { drawPipeline } from './draw-pipeline.ts';
import type { AgentContract } from './value-type.ts';

const page = readFileSync(new URL('../../../../docs/pipelines.md', import.meta.url), 'utf8');
const folder = fileURLToPath(new URL('../..', import.meta.url));

/** The blocks of a language, in order. */
function blocks(language: string): readonly string[] {
  return [...page.matchAll(/^```(\w+)\n([\s\S]*?)\n```$/gm)].flatMap(([, found, text = '']) =>
    found === language ? [text] : [],
  );
}

function load(text: string) {
  const { agents, pipeline } = parse(text);
  const own = Object.entries(agents as Record<string, Partial<AgentContract>>).map(
    ([name, { input = {}, output = {} }]) => [name, { input, output }],
  );
  return checkPipeline(pipeline, { ...agentContracts(), ...Object.fromEntries(own) });
}

describe('docs/pipelines.md', () => {
  it('shows pipelines that load, and one that does not, with what is said of it', () => {
    const refused: string[] = [];
    for (const text of blocks('yaml')) {
      if (!text.startsWith('# does not load')) {
        assert.ok(load(text).nodes.length > 0);
        continue;
      }
      assert.throws(
        () => load(text),
        (error) => {
          assert.ok(ForgeError.is(error, 'invalid_pipeline'));
          refused.push(error.message);
          return true;
        },
      );
    }
    assert.ok(refused.length > 0);
    assert.deepEqual(refused, blocks('text'));
  });

  it('shows code that runs and prints what it says', () => {
    const [code = ''] = blocks('ts');
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--input-type=module-typescript', '--eval', code],
      { cwd: folder, encoding: 'utf8' },
    );
    assert.equal(status, 0, stderr);
    const said = [...code.matchAll(/^\/\/ (.*)$/gm)].map(([, line]) => line);
    assert.equal(stdout.trimEnd(), said.join('\n'));
  });

  it('shows the pipeline that comes with Forge as it is', () => {
    const options = { maxReviewRounds: 3, maxDeployAttempts: 2, parallel: 2, deploys: true };
    assert.deepEqual(blocks('drawing'), [drawPipeline(defaultPipeline(options))]);
  });
});
