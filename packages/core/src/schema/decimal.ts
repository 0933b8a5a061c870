/** A number as written: digits × 10^exponent, with no needless zeros. */
interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

const NUMBER_TEXT = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d{1,4}))?$/;

/** Reads a number in JSON's grammar exactly; undefined for any other text. */
function readDecimal(text: string): Decimal | undefined {
  const match = NUMBER_TEXT.exec(text);
  if (match === null) return undefined;
  const [, sign = '', whole = '0', fraction = '', power = '0'] = match;
  const significant = (whole + fraction).replace(/0+$/, '');
  const dropped = whole.length + fraction.length - significant.length;
  const digits = BigInt(`${sign}${significant === '' ? '0' : significant}`);
  const exponent = digits === 0n ? 0 : Number(power) - fraction.length + dropped;
  return { digits, exponent };
}

/**
 * The number a text stands for, only if the number is exactly that text's value: undefined for a
 * whole number past 2^53, for more digits than a double holds, and for anything JSON would not
 * call a number.
 */
export function exactNumber(text: string): number | undefined {
  if (text.length > 40) return undefined;
  const written = readDecimal(text);
  if (written === undefined) return undefined;
  const value = Number(text);
  if (!Number.isFinite(value)) return undefined;
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return undefined;
  const kept = readDecimal(String(value));
  if (kept?.digits !== written.digits || kept.exponent !== written.exponent) return undefined;
  return value;
}

/** Whether `value` is a whole number of `step`s, in decimal: 0.3 is three times 0.1. */
export function isMultipleOf(value: number, step: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(step)) return value % step === 0;
  const dividend = readDecimal(String(value));
  const divisor = readDecimal(String(step));
  if (dividend === undefined || divisor === undefined) return false;
  const exponent = Math.min(dividend.exponent, divisor.exponent);
  const scaled = dividend.digits * 10n ** BigInt(dividend.exponent - exponent);
  return scaled % (divisor.digits * 10n ** BigInt(divisor.exponent - exponent)) === 0n;
}
