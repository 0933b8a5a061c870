import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Command } from 'commander';
import { commandTable } from './command-table.ts';
import { readConfig } from './config.ts';
import type { CommandContext } from './context.ts';
import { InterruptDesk } from './interrupts.ts';
import { createTerminal } from './terminal.ts';

const config = readConfig({});
const desk = new InterruptDesk();
const context: CommandContext = {
  terminal: () => createTerminal({ config }),
  signal: desk.signal,
  interrupts: desk,
  config,
  cwd: '/',
  stdin: process.stdin,
  endsWellWhenStopped: () => {},
  endWith: () => {},
  openWorkshop: () => Promise.reject(new Error('nothing is opened here')),
};

describe('the table of commands', () => {
  for (const { name, description, load } of commandTable) {
    it(`says of ${name} what the command says of itself, which has an example`, async () => {
      const program = new Command('forge');
      (await load())(program, context);
      const [command] = program.commands;
      assert.deepEqual([command?.name(), command?.description()], [name, description]);
      let help = '';
      command?.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
      assert.match(help, /Examples?:\n/);
    });
  }

  it('names each command once', () => {
    const names = commandTable.map(({ name }) => name);
    assert.deepEqual(names, [...new Set(names)]);
  });
});
