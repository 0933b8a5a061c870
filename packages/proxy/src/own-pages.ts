import type { ServerResponse } from 'node:http';
import { publicUrl } from '@forge/models';
import { livePage } from './page/live-page.ts';
import type { ProxyContext } from './proxy-context.ts';
import { corsHeaders } from './server/cors.ts';
import type { OwnPage } from './server/routes.ts';

/** A page of the proxy itself. */
export async function serveOwnPage(
  context: ProxyContext,
  response: ServerResponse,
  page: OwnPage,
): Promise<void> {
  const { type, body, headers = [] } = await compose(context, page);
  const bytes = Buffer.from(body);
  response.writeHead(200, [
    'content-type',
    type,
    'content-length',
    String(bytes.length),
    'cache-control',
    'no-store',
    ...headers,
  ]);
  response.end(bytes);
}

interface Composed {
  readonly type: string;
  readonly body: string;
  readonly headers?: readonly string[];
}

async function compose(context: ProxyContext, page: OwnPage): Promise<Composed> {
  const { state, settings, admission } = context;
  switch (page) {
    case 'health':
      return json({
        status: 'ok',
        backend: publicUrl(new URL(settings.backend.url)),
        wire: settings.backend.wire.name,
        in_flight: admission.inFlight,
        waiting: admission.waiting,
      });
    case 'usage':
      return json({
        ...(await state.stats.report()),
        backend: publicUrl(new URL(settings.backend.url)),
        ...(state.lessons !== undefined && { lessons: await state.lessons.all() }),
      });
    case 'metrics':
      return {
        type: 'text/plain; version=0.0.4; charset=utf-8',
        body: await state.stats.metrics(),
      };
    case 'page':
      return { type: 'text/html; charset=utf-8', ...livePage };
    default:
      return page satisfies never;
  }
}

function json(value: unknown): Composed {
  return { type: 'application/json', body: JSON.stringify(value), headers: corsHeaders };
}
