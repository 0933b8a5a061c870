import { ForgeError } from '../errors.ts';

export function checkWhole(name: string, value: number): void {
  if (Number.isInteger(value) && value >= 0) return;
  throw new ForgeError('invalid_options', `${name} is ${value}. Give a whole number, 0 or more.`);
}

export function checkFraction(name: string, value: number): void {
  if (value > 0 && value <= 1) return;
  throw new ForgeError(
    'invalid_options',
    `${name} is ${value}. Give a part of the budget, more than 0 and at most 1, e.g. 0.75.`,
  );
}
