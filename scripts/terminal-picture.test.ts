import assert from 'node:assert/strict';
import { test } from 'node:test';
import { palette } from './picture/style.ts';
import { terminalPicture } from './terminal-picture.ts';

const picture = (program: string) =>
  terminalPicture({
    command: process.execPath,
    args: ['--eval', program],
    title: 'npm <start>',
    columns: 40,
    cwd: '.',
  });

test('draws what the command printed, with its colours', () => {
  const svg = picture(
    `const { styleText } = require('node:util');
     console.log(styleText(['bold', 'green'], 'done', { validateStream: false }), 'a < b & "c"');`,
  );
  assert.match(svg, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" width="368"/);
  assert.ok(svg.includes(`fill="${palette[2]}" font-weight="bold">done</text>`));
  assert.ok(svg.includes('>a &lt; b &amp; &quot;c&quot;</text>'));
  assert.ok(svg.includes('<title>npm &lt;start&gt;</title>'));
});

test('the command finds a terminal that wants colour and has the given width', () => {
  const svg = picture('console.log(process.env.FORCE_COLOR, process.env.COLUMNS)');
  assert.ok(svg.includes('>1 40</text>'));
});

test('a title that is too long for its place is cut there, and whole for readers', () => {
  const title = 'forge run "a request that takes more room than the window has"';
  const svg = terminalPicture({ command: 'true', args: [], title, columns: 40, cwd: '.' });
  assert.ok(svg.includes('>forge run &quot;a request th…</text>'));
  assert.ok(svg.includes('more room than the window has&quot;</title>'));
});

test('text that lies on a background, or is inverse, gets a box', () => {
  assert.match(picture("console.log('\\x1b[41mx\\x1b[49m')"), /<rect [^>]*fill="#ff7b72"\/>/);
  assert.match(picture("console.log('\\x1b[7mx\\x1b[27m')"), /<rect [^>]*fill="#c9d1d9"\/>/);
});

test('a command that fails makes no picture', () => {
  assert.throws(() => picture('process.exit(3)'));
});
