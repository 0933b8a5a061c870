import { startNotesServer } from './notes-server.ts';

const token = process.env.NOTES_TOKEN;
if (token === undefined || token === '') {
  console.error('Set NOTES_TOKEN to the token that clients have to send.');
  process.exit(2);
}
const [file = 'notes.db', port = '0'] = process.argv.slice(2);
const server = await startNotesServer({ file, token, port: Number(port) });
console.log(server.url);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void server.close());
