import { ForgeError, messageOf } from '@forge/core';
import { fetch } from 'undici';
import * as z from 'zod';

export interface GithubAccess {
  /** A token that may open pull requests, or the way to one. It never reaches the sandbox. */
  readonly token: string | (() => Promise<string>);
  /** Default `https://api.github.com`; `https://git.example.org/api/v3` for a server of one's own. */
  readonly apiUrl?: string;
}

export interface NewPull {
  readonly repo: string;
  readonly title: string;
  readonly body: string;
  readonly head: string;
  readonly base: string;
  readonly draft: boolean;
}

const created = z.object({ number: z.int(), html_url: z.string() });
const refusal = z.object({
  message: z.string(),
  errors: z.array(z.looseObject({ message: z.string().optional() })).optional(),
});
const timeoutMs = 30_000;
const mostBytes = 1024 * 1024;

/** Opens a pull request. What GitHub says against it is the error. */
export async function createPull(
  access: GithubAccess,
  { repo, ...pull }: NewPull,
  signal: AbortSignal,
): Promise<{ readonly number: number; readonly url: string }> {
  const { apiUrl = defaultApi, token } = access;
  const secret = typeof token === 'string' ? token : await token();
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  let status: number;
  let body: unknown;
  try {
    const response = await fetch(`${apiUrl.replace(/\/$/, '')}/repos/${repo}/pulls`, {
      method: 'POST',
      signal: limit,
      redirect: 'error',
      headers: {
        accept: 'application/vnd.github+json',
        authorization: `Bearer ${secret}`,
        'content-type': 'application/json',
        'user-agent': 'forge',
        'x-github-api-version': '2022-11-28',
      },
      body: JSON.stringify(pull),
    });
    status = response.status;
    body = await readJson(response.body ?? []);
  } catch (error) {
    signal.throwIfAborted();
    const why = limit.aborted ? `no answer within ${timeoutMs / 1_000} s` : reason(error);
    throw new ForgeError(
      'tool_failed',
      `GitHub could not be reached: ${why}. Whether the pull request was made is not known.`,
    );
  }
  if (status >= 400) throw apiError(status, body);
  const pullRequest = created.safeParse(body);
  if (!pullRequest.success) {
    throw new ForgeError('tool_failed', `GitHub answered ${status} with something unexpected.`);
  }
  return { number: pullRequest.data.number, url: pullRequest.data.html_url };
}

export const defaultApi = 'https://api.github.com';

async function readJson(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<unknown> {
  const kept: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    kept.push(chunk);
    size += chunk.length;
    if (size > mostBytes) return undefined;
  }
  try {
    return JSON.parse(Buffer.concat(kept).toString());
  } catch {
    return undefined;
  }
}

function apiError(status: number, body: unknown): ForgeError {
  const said = refusal.safeParse(body);
  const details = said.data?.errors?.flatMap(({ message }) => message ?? []) ?? [];
  const message = [said.data?.message ?? 'no message', ...details].join(' ');
  return new ForgeError('tool_failed', `GitHub API error (${status}): ${message.slice(0, 1_000)}`);
}

function reason(error: unknown): string {
  return messageOf(error instanceof Error && error.cause !== undefined ? error.cause : error);
}
