import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AskPerson, PersonQuestion } from '@forge/core';
import type { HumanRequest } from '../connection/ports.ts';
import { greeter, serveGreeter } from '../testing/greeter.test.ts';
import { call, openHub, published, soon, textOf } from '../testing/open-hub.ts';
import type { McpHub } from './mcp-hub.ts';

const everything = published('server-everything');
const elicit = 'all__trigger-elicitation-request';

describe('a question a server has for a person', () => {
  it('goes to the port with its form, and the answer back', async (test) => {
    const asked: HumanRequest[] = [];
    const hub = await openHub(test, {
      servers: { all: everything },
      askHuman: async (request) => {
        asked.push(request);
        return { action: 'accept', content: { name: 'Ada', check: true } };
      },
    });
    await hub.ready(soon());
    assert.match(textOf(await call(hub, elicit)), /Ada/);
    assert.equal(asked[0]?.server, 'all');
    assert.ok(JSON.stringify(asked[0]?.schema).includes('"name"'));
  });

  it('may be declined', async (test) => {
    const hub = await openHub(test, {
      servers: { all: everything },
      askHuman: async () => ({ action: 'decline' }),
    });
    await hub.ready(soon());
    assert.match(textOf(await call(hub, elicit)), /declined/i);
  });

  it('is not answered with what does not fit the form', async (test) => {
    const hub = await openHub(test, {
      servers: { all: everything },
      askHuman: async () => ({ action: 'accept', content: { name: 7 } }),
    });
    await hub.ready(soon());
    await assert.rejects(call(hub, elicit), /does not fit/);
  });

  it('stops the clock of the call while the person thinks', async (test) => {
    const thought = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const hub = await openHub(test, {
      servers: { all: { ...everything, timeouts: { call: 2_000, callTotal: 2_000 } } },
      askHuman: async () => {
        asked.resolve();
        await thought.promise;
        return { action: 'cancel' };
      },
    });
    await hub.ready(soon());
    const calling = call(hub, elicit);
    await asked.promise;
    setTimeout(thought.resolve, 2_500);
    assert.match(textOf(await calling), /cancel/i);
  });

  it('is not offered to servers when nobody is there to answer', async (test) => {
    const hub = await openHub(test, { servers: { all: everything } });
    await hub.ready(soon());
    assert.ok(!hub.tools().some(({ spec }) => spec.name === elicit));
  });

  it('comes in the answer to a call in the newest revision', async (test) => {
    const url = await serveGreeter(test, 'newest');
    const hub = await openHub(test, {
      servers: { m: { url } },
      askHuman: async ({ message }) => ({ action: 'accept', content: { name: `${message} Ada` } }),
    });
    await hub.ready(soon());
    assert.equal(textOf(await call(hub, 'm__greet')), 'Hello Who are you? Ada');
  });
});

/** A person for each call, who says their name to whoever asks. */
function person(name: string, seen: PersonQuestion[] = []): AskPerson {
  return async (question) => {
    seen.push(question);
    return { action: 'accept', content: { name } };
  };
}

describe('a question that belongs to a call', () => {
  const callersAskPeople = true;

  it('goes to the people of its caller, not to the port', async (test) => {
    const hub = await openHub(test, {
      servers: { all: everything },
      callersAskPeople,
      askHuman: async () => assert.fail('the port was asked'),
    });
    await hub.ready(soon());
    const seen: PersonQuestion[] = [];
    const context = { askPerson: person('Ada', seen) };
    assert.match(textOf(await call(hub, elicit, {}, context)), /Ada/);
    assert.match(seen[0]?.context ?? '', /MCP server "all"/);
  });

  it('goes to the port if its caller has nobody, else it is declined', async (test) => {
    const servers = { all: everything };
    const askHuman = async () => ({ action: 'accept' as const, content: { name: 'Port' } });
    const open = await openHub(test, { servers, callersAskPeople, askHuman });
    const alone = await openHub(test, { servers, callersAskPeople });
    await Promise.all([open.ready(soon()), alone.ready(soon())]);
    assert.match(textOf(await call(open, elicit)), /Port/);
    assert.match(textOf(await call(alone, elicit)), /declined/i);
  });

  for (const revision of ['newest', 'older'] as const) {
    it(`finds its call among several over HTTP, in the ${revision} revision`, async (test) => {
      const url = await serveGreeter(test, revision);
      const hub = await openHub(test, { servers: { m: { url } }, callersAskPeople });
      await hub.ready(soon());
      await greetTogether(hub);
    });
  }

  it('finds its call among several over stdio, in the newest revision', async (test) => {
    const hub = await openHub(test, { servers: { m: greeter() }, callersAskPeople });
    await hub.ready(soon());
    assert.equal(hub.servers()[0]?.protocol, '2026-07-28');
    await greetTogether(hub);
  });

  it('is not shown with a page that is none', async (test) => {
    const hub = await openHub(test, { servers: { m: greeter() }, callersAskPeople });
    await hub.ready(soon());
    const askPerson = async () => assert.fail('somebody was asked');
    await assert.rejects(call(hub, 'm__visit', {}, { askPerson }), /must be at http/);
  });
});

/** Two calls at the same time, whose people answer only when both were asked. */
async function greetTogether(hub: McpHub) {
  const both = Promise.withResolvers<void>();
  let asked = 0;
  const together =
    (name: string): AskPerson =>
    async (question) => {
      if (++asked === 2) both.resolve();
      await both.promise;
      return await person(name)(question);
    };
  const greeted = ['Ada', 'Bob'].map(async (name) =>
    textOf(await call(hub, 'm__greet', {}, { askPerson: together(name) })),
  );
  assert.deepEqual(await Promise.all(greeted), ['Hello Ada', 'Hello Bob']);
}

describe('other things a server may ask for', () => {
  it('are our model and our folders, where ports are given', async (test) => {
    const hub = await openHub(test, {
      servers: { all: everything },
      sample: async () => ({
        model: 'ours',
        role: 'assistant',
        content: { type: 'text', text: 'sampled' },
      }),
      roots: () => [{ uri: 'file:///srv/project', name: 'project' }],
    });
    await hub.ready(soon());
    const sampled = await call(hub, 'all__trigger-sampling-request', {
      prompt: 'hi',
      maxTokens: 5,
    });
    assert.match(textOf(sampled), /sampled/);
    assert.match(textOf(await call(hub, 'all__get-roots-list')), /srv\/project/);
  });
});
