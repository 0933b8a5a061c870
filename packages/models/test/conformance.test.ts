import { describe } from 'node:test';
import { type Profile, type ProviderName, profiles } from '../src/create-model/index.ts';
import { wires } from '../src/wire/index.ts';
import { failures } from './conformance/failures.ts';
import { replies } from './conformance/replies.ts';
import { requests } from './conformance/requests.ts';
import { streaming } from './conformance/streaming.ts';
import type { Subject } from './conformance/subject.ts';
import { wholeRuns } from './conformance/whole-runs.ts';

const providers: Readonly<Record<ProviderName, Profile>> = profiles;

const seen = new Set<string>();

/**
 * One suite for every client, by the name people type, over real sockets. How a stream runs and
 * how a call fails depends on the wire alone, so that part runs once for each wire.
 */
for (const subject of subjects()) {
  const { provider, wire } = subject;
  const isFirst = !seen.has(wire.name);
  seen.add(wire.name);
  describe(`${provider} (${wire.name})`, { concurrency: true }, () => {
    replies(subject);
    requests(subject);
    wholeRuns(subject);
    if (!isFirst) return;
    streaming(subject);
    failures(subject);
  });
}

function* subjects(): Generator<Subject> {
  let provider: ProviderName;
  for (provider in providers) {
    const profile = providers[provider];
    yield { provider, profile, wire: wires[profile.wire.name] };
  }
}
