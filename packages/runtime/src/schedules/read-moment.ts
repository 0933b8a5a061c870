import { ForgeError } from '@forge/core';
import { Cron } from 'croner';

const iso =
  /^(\d{4})-(\d\d)-(\d\d)[T ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?\s*(Z|[+-]\d\d:?\d\d)?$/i;

/**
 * A moment from text: ISO 8601, with an offset or on the wall clock of a zone. A time in the
 * spring's gap is moved behind it; one in the autumn's double hour is its first passing.
 */
export function readMoment(text: string, zone: string): number {
  const found = iso.exec(text.trim());
  if (found === null || !isDay(Number(found[1]), Number(found[2]), Number(found[3]))) {
    throw invalid(text);
  }
  const offset = found[7];
  const written = text.trim().replace(' ', 'T');
  const at =
    offset === undefined
      ? new Cron(written, { timezone: zone }).getOnce()?.getTime()
      : Date.parse(written.replace(/\s+/g, ''));
  if (at === undefined || Number.isNaN(at)) throw invalid(text);
  return at;
}

function isDay(year: number, month: number, day: number): boolean {
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

function invalid(text: string): ForgeError {
  return new ForgeError(
    'invalid_options',
    `"${text}" is no time. Write it as 2026-11-15T09:00 (by the wall clock of the zone) or 2026-11-15T09:00+01:00.`,
  );
}
