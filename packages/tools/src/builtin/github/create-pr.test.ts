import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '@forge/core';
import { createKit, onEverySandbox, toolNamed } from '../sandbox-fixtures.test.ts';
import type { GithubOptions } from './create-pr-tool.ts';
import { hostOfApi, readOrigin } from './origin.ts';

onEverySandbox('create_pr', (kit) => {
  const requests: {
    url: string | undefined;
    headers: NodeJS.Dict<string | string[]>;
    body: unknown;
  }[] = [];
  let answer: { status: number; body: unknown } = { status: 201, body: {} };
  let apiUrl = '';
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
    requests.push({ url: request.url, headers: request.headers, body });
    response.writeHead(answer.status).end(JSON.stringify(answer.body));
  });
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    apiUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/api/v3`;
    await kit().inside(
      'git init -q -b main .; git config user.name a; git config user.email a@b; git commit -q --allow-empty -m x; git checkout -q -b fix/it; git remote add origin git@127.0.0.1:own/er.git; git update-ref refs/remotes/origin/main HEAD; git symbolic-ref refs/remotes/origin/HEAD refs/remotes/origin/main',
    );
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const open = (args: JsonObject, more: Partial<GithubOptions> = {}) =>
    createKit(kit().sandbox, { github: { token: 'secret-token', apiUrl, ...more } }).call(
      'create_pr',
      args,
    );

  it('opens a pull request from the branch that is checked out', async () => {
    answer = { status: 201, body: { number: 7, html_url: 'http://h/own/er/pull/7' } };
    const pushed: string[] = [];
    const { text } = await open(
      { title: 'Fix it', body: 'Why.' },
      { push: async ({ repo, branch }) => void pushed.push(`${repo} ${branch}`) },
    );
    assert.equal(text, 'Created pull request #7: http://h/own/er/pull/7');
    assert.deepEqual(pushed, ['own/er fix/it']);
    const [request] = requests;
    assert.equal(request?.url, '/api/v3/repos/own/er/pulls');
    assert.equal(request?.headers.authorization, 'Bearer secret-token');
    assert.equal(request?.headers['x-github-api-version'], '2022-11-28');
    assert.deepEqual(request?.body, {
      title: 'Fix it',
      body: 'Why.',
      head: 'fix/it',
      base: 'main',
      draft: false,
    });
  });

  it('passes on what GitHub says against it, and never the token', async () => {
    answer = {
      status: 422,
      body: {
        message: 'Validation Failed',
        errors: [{ message: 'A pull request already exists.' }],
      },
    };
    const refused = await open({ title: 't' });
    assert.equal(refused.outcome, 'error');
    assert.match(
      refused.text,
      /GitHub API error \(422\): Validation Failed A pull request already exists\./,
    );
    answer = { status: 200, body: { odd: true } };
    assert.match((await open({ title: 't' })).text, /something unexpected/);
    const gone = await open(
      { title: 't' },
      { apiUrl: 'http://127.0.0.1:1', token: async () => 'secret-token' },
    );
    assert.match(gone.text, /could not be reached/);
    assert.ok(!gone.text.includes('secret-token'));
  });

  it('refuses another host, a branch into itself, and names that are none', async () => {
    const other = await open({ title: 't' }, { apiUrl: 'https://api.github.com' });
    assert.match(other.text, /origin is at 127\.0\.0\.1, not at github\.com/);
    assert.match((await open({ title: 't', head: 'main' })).text, /cannot be merged into itself/);
    assert.match((await open({ title: 't', head: '../x' })).text, /not a name for a branch/);
    assert.match((await open({ title: 't', repo: 'a/../b' })).text, /is not a repository/);
  });

  it('asks a person first, unless told otherwise', () => {
    const { sandbox } = kit();
    const needs = (approval?: boolean) => {
      const { tools } = createKit(sandbox, {
        github: { token: 't', ...(approval !== undefined && { approval }) },
      });
      return toolNamed(tools, 'create_pr').needsApproval({});
    };
    assert.equal(needs(), true);
    assert.equal(needs(false), false);
  });
});

describe('origins', () => {
  it('are read in every spelling', () => {
    for (const remote of [
      'git@github.com:a/b.git',
      'https://github.com/a/b.git',
      'https://user:token@github.com/a/b',
      'ssh://git@github.com:22/a/b.git',
      'https://GitHub.com/a/b/',
    ]) {
      assert.deepEqual(readOrigin(remote), { host: 'github.com', repo: 'a/b' }, remote);
    }
    for (const remote of ['/srv/a/b.git', 'ext::sh -c x', 'https://github.com/a/b/c']) {
      assert.throws(() => readOrigin(remote), /not a repository/, remote);
    }
    assert.equal(hostOfApi('https://api.github.com'), 'github.com');
    assert.equal(hostOfApi('https://git.example.org/api/v3'), 'git.example.org');
    assert.equal(hostOfApi('https://api.corp.ghe.com'), 'corp.ghe.com');
  });
});
