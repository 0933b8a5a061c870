import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startChild } from '../child.ts';
import { freePort, listening } from '../free-port.ts';
import type { Contender } from '../middle.ts';
import { readUsage } from '../process-usage.ts';

/** One worker, connections to the backend kept, nothing logged, streams not held back. */
const configuration = (options: { folder: string; port: number; backendPort: number }) => `
worker_processes 1;
pid ${options.folder}/nginx.pid;
error_log ${options.folder}/error.log;
events { worker_connections 1024; }
http {
  access_log off;
  tcp_nodelay on;
  keepalive_requests 100000000;
  client_body_buffer_size 256k;
  client_body_temp_path ${options.folder}/body;
  proxy_temp_path ${options.folder}/proxy;
  fastcgi_temp_path ${options.folder}/fastcgi;
  uwsgi_temp_path ${options.folder}/uwsgi;
  scgi_temp_path ${options.folder}/scgi;
  upstream backend {
    server 127.0.0.1:${options.backendPort};
    keepalive 128;
    keepalive_requests 100000000;
  }
  server {
    listen 127.0.0.1:${options.port};
    location / {
      proxy_pass http://backend;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
    }
  }
}
`;

export const nginx: Contender = {
  name: 'nginx, 1 worker',
  async start({ backendPort, folder }) {
    execFileSync('nginx', ['-v'], { stdio: 'ignore' });
    const port = await freePort();
    const file = join(folder, 'nginx.conf');
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, configuration({ folder, port, backendPort }));
    const child = startChild({
      command: 'nginx',
      args: ['-p', folder, '-c', file, '-e', join(folder, 'error.log'), '-g', 'daemon off;'],
      role: 'middle',
    });
    await listening(port, AbortSignal.timeout(10_000));
    return { port, headers: {}, usage: () => readUsage(child.pid), stop: child.stop };
  },
};
