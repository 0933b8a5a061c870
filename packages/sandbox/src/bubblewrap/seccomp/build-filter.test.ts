import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { codes, encodeProgram } from './assemble.ts';
import { answers, buildFilter, type Machine } from './build-filter.ts';
import { deniedCalls, lastKnownCall } from './denied-syscalls.ts';

/** Runs the bytes as the kernel would, on one call. */
function judge(
  machine: Machine,
  call: { arch?: number; number: number; args?: readonly number[] },
): number {
  const program = encodeProgram(buildFilter(machine));
  const data = Buffer.alloc(64);
  data.writeUInt32LE(call.number >>> 0, 0);
  data.writeUInt32LE(call.arch ?? (machine === 'x64' ? 0xc000003e : 0xc00000b7), 4);
  for (const [index, value] of (call.args ?? []).entries()) {
    data.writeBigUInt64LE(BigInt.asUintN(64, BigInt(value)), 16 + 8 * index);
  }
  let loaded = 0;
  for (let at = 0; at < program.length; at += 8) {
    const code = program.readUInt16LE(at);
    const value = program.readUInt32LE(at + 4);
    if (code === codes.answer) return value;
    if (code === codes.load) {
      loaded = data.readUInt32LE(value);
      continue;
    }
    const holds = {
      [codes.equal]: loaded === value,
      [codes.greater]: loaded > value,
      [codes.atLeast]: loaded >= value,
      [codes.anyBit]: (loaded & value) !== 0,
    }[code];
    assert.notEqual(holds, undefined, `no such instruction: ${code}`);
    at += 8 * program.readUInt8(at + (holds === true ? 2 : 3));
  }
  return assert.fail('the program ended without an answer');
}

describe('the seccomp filter', () => {
  for (const machine of ['x64', 'arm64'] as const) {
    const numberOf = {
      x64: { clone: 56, ioctl: 16, socket: 41 },
      arm64: { clone: 220, ioctl: 29, socket: 198 },
    }[machine];

    it(`denies what is listed and nothing else on ${machine}`, () => {
      const denied = new Set(Object.values(deniedCalls).flatMap((call) => call[machine] ?? []));
      assert.ok(denied.size > 45);
      for (let number = 0; number <= lastKnownCall; number += 1) {
        const expected = denied.has(number)
          ? answers.denied
          : number === 435
            ? answers.missing
            : answers.allow;
        if (number === numberOf.socket) continue;
        assert.equal(judge(machine, { number }), expected, `call ${number}`);
      }
      for (const number of [lastKnownCall + 1, 1000, 0x40000000, 0x400001a9, 0xffffffff]) {
        assert.equal(judge(machine, { number }), answers.missing, `call ${number}`);
      }
    });

    it(`knows calls of no other machine than ${machine}`, () => {
      for (const arch of [0x40000003, 0xc0000015, machine === 'x64' ? 0xc00000b7 : 0xc000003e]) {
        assert.equal(judge(machine, { arch, number: 1 }), answers.missing);
      }
    });

    it(`looks at arguments on ${machine}`, () => {
      const { clone, ioctl, socket } = numberOf;
      const thread = 0x3d0f00;
      assert.equal(judge(machine, { number: clone, args: [thread] }), answers.allow);
      assert.equal(judge(machine, { number: clone, args: [17] }), answers.allow);
      for (const flag of [
        0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000,
      ]) {
        assert.equal(judge(machine, { number: clone, args: [flag | 17] }), answers.denied);
      }
      assert.equal(judge(machine, { number: ioctl, args: [0, 0x5401] }), answers.allow);
      for (const command of [0x5412, 0x541c, 0x5412 + 2 ** 32]) {
        assert.equal(judge(machine, { number: ioctl, args: [0, command] }), answers.denied);
      }
      for (const family of [1, 2, 10, 16]) {
        assert.equal(judge(machine, { number: socket, args: [family] }), answers.allow);
      }
      for (const family of [0, 3, 17, 29, 38, 40, 44]) {
        assert.equal(judge(machine, { number: socket, args: [family] }), answers.noFamily);
      }
    });
  }
});
