import type { Duplex } from 'node:stream';
import { Readable } from 'node:stream';

const headerBytes = 8;

/**
 * The two streams Docker sends over one connection: frames of a header (which stream, how long) and
 * bytes. A reader that stalls holds up both of them and the connection, nobody else.
 */
export function demultiplex(socket: Duplex): {
  readonly stdout: Readable;
  readonly stderr: Readable;
} {
  const resume = () => void socket.resume();
  const stdout = new Readable({ read: resume });
  const stderr = new Readable({ read: resume });
  let header = Buffer.alloc(0);
  let left = 0;
  let target = stdout;

  socket.on('data', (chunk: Buffer) => {
    let flows = true;
    for (let rest = chunk; rest.length > 0; ) {
      if (left === 0) {
        const missing = headerBytes - header.length;
        header = Buffer.concat([header, rest.subarray(0, missing)]);
        rest = rest.subarray(missing);
        if (header.length < headerBytes) break;
        target = header[0] === 2 ? stderr : stdout;
        left = header.readUInt32BE(4);
        header = Buffer.alloc(0);
        continue;
      }
      const bytes = rest.subarray(0, left);
      left -= bytes.length;
      rest = rest.subarray(bytes.length);
      flows = target.push(bytes) && flows;
    }
    if (!flows) socket.pause();
  });
  // What was read before the connection went is still to be had.
  const end = () => {
    stdout.push(null);
    stderr.push(null);
    socket.off('end', end).off('close', end);
  };
  socket.on('end', end).on('close', end);
  socket.on('error', () => socket.destroy());
  return { stdout, stderr };
}
