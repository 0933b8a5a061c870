/** One instruction of classic BPF, as the kernel's `struct sock_filter` has it. */
export interface Instruction {
  readonly code: number;
  /** How many instructions to skip if a comparison holds, and if not. */
  readonly ifTrue: number;
  readonly ifFalse: number;
  readonly value: number;
}

/** Where things lie in `struct seccomp_data`; the low half of an argument, on little-endian machines. */
export const fields = {
  number: 0,
  machine: 4,
  argument: (index: number) => 16 + 8 * index,
} as const;

export const codes = {
  /** Loads the word at this place. */
  load: 0x20,
  /** Compares what was loaded. */
  equal: 0x15,
  greater: 0x25,
  atLeast: 0x35,
  anyBit: 0x45,
  answer: 0x06,
} as const;

export function load(place: number): Instruction {
  return { code: codes.load, ifTrue: 0, ifFalse: 0, value: place };
}

/** Goes on with the next instruction if it holds, else skips `skip` of them. */
export function unless(
  comparison: 'equal' | 'greater' | 'atLeast' | 'anyBit',
  value: number,
  skip: number,
): Instruction {
  return { code: codes[comparison], ifTrue: 0, ifFalse: skip, value };
}

/** What the kernel does with the call. */
export function answer(value: number): Instruction {
  return { code: codes.answer, ifTrue: 0, ifFalse: 0, value };
}

/** The bytes the kernel loads: eight for each instruction, little-endian. */
export function encodeProgram(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, { code, ifTrue, ifFalse, value }] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(ifTrue, index * 8 + 2);
    bytes.writeUInt8(ifFalse, index * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4);
  }
  return bytes;
}
