/** The greeter over stdio. Ends when its input does. */
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createGreeter } from '../greeter.test.ts';

serveStdio(createGreeter);
