import type { AbuseGroup } from '../abuse-case.ts';
import { allowList } from './allow-list.ts';
import { bombs } from './bombs.ts';
import { bypasses } from './bypasses.ts';
import { channel } from './channel.ts';
import { delivery } from './delivery.ts';
import { escapes } from './escapes.ts';
import { files } from './files.ts';
import { fills } from './fills.ts';
import { network } from './network.ts';
import { output } from './output.ts';
import { processes } from './processes.ts';
import { secrets } from './secrets.ts';
import { systemCalls } from './system-calls.ts';

/** All that is tried, in the order of the table. */
export const abuseGroups: readonly AbuseGroup[] = [
  bombs,
  fills,
  escapes,
  systemCalls,
  secrets,
  network,
  allowList,
  processes,
  channel,
  files,
  delivery,
  output,
  bypasses,
];
