import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { serverNameSchema } from '../config/server-name.ts';
import { toolName } from './tool-name.ts';

describe('toolName', () => {
  it('joins the server and the tool', () => {
    assert.equal(toolName('my-notes', 'create_note'), 'my-notes__create_note');
    assert.equal(toolName('a', 'files/read.all'), 'a__files_read_all');
  });

  it('ends a long name in a hash of the original, so that long names stay apart', () => {
    const long = 'x'.repeat(80);
    assert.equal(toolName('a', `${long}1`), toolName('a', `${long}1`));
    assert.notEqual(toolName('a', `${long}1`), toolName('a', `${long}2`));
  });

  const servers = fc
    .stringMatching(/^[A-Za-z0-9]{1,8}([-_][A-Za-z0-9]{1,8}){0,2}$/)
    .filter((name) => serverNameSchema.safeParse(name).success);

  it('is always a name that model servers take', () => {
    fc.assert(
      fc.property(
        servers,
        fc.string({ minLength: 1, maxLength: 256, unit: 'binary' }),
        (server, tool) => {
          assert.match(toolName(server, tool), /^[A-Za-z0-9_-]{1,64}$/);
        },
      ),
    );
  });

  it('never confuses the tools of two servers', () => {
    const tools = fc.stringMatching(/^[A-Za-z0-9_]{1,12}$/);
    fc.assert(
      fc.property(servers, tools, servers, tools, (a, x, b, y) => {
        fc.pre(a !== b || x !== y);
        assert.notEqual(toolName(a, x), toolName(b, y));
      }),
    );
  });
});
