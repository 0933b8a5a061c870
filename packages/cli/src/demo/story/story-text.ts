import type { Plan } from '@forge/pipeline';

/** What the demo asks for, in one sentence. */
export const storyRequest =
  'Let people choose the code of their link, and count how often each link is followed.';

/** The request that shows which version answers: the first ignores the code, the second takes it. */
export const probe = {
  method: 'POST',
  path: '/links',
  body: JSON.stringify({ url: 'https://example.org/docs', code: 'docs' }),
} as const;

/** Where the second version tells how often the link of the probe was followed. */
export const visited = '/links/docs';

/**
 * What the planner hands in. The checks may be repeated: a run that was killed in the middle of them
 * makes them again.
 */
export const storyPlan = {
  summary:
    'POST /links takes a code of the sender’s choice, and GET /links/<code> tells how often the link was followed. The two touch different parts and can be done side by side.',
  tasks: [
    {
      id: 'choose-code',
      title: 'Let people choose the code of their link',
      description:
        'POST /links takes an optional "code" beside "url" and keeps the link under it. A code that somebody else has is refused with 409. Without one everything stays as it is. Add tests.',
      dependsOn: [],
    },
    {
      id: 'count-visits',
      title: 'Count how often each link is followed',
      description:
        'Every redirect counts as a visit. GET /links/<code> answers with the code, its url and its visits. The counts are kept in data/visits.json, so that a restart does not lose them. Add tests.',
      dependsOn: [],
    },
  ],
  acceptance: [
    {
      id: 'chosen-code',
      description: 'A link can be kept under a chosen code.',
      http: {
        method: probe.method,
        path: probe.path,
        body: probe.body,
        status: 201,
        includes: ['"code":"docs"'],
      },
    },
    {
      id: 'taken-code',
      description: 'A code that somebody else has is refused.',
      http: {
        method: 'POST',
        path: '/links',
        body: JSON.stringify({ url: 'https://example.com/', code: 'docs' }),
        status: 409,
      },
    },
    {
      id: 'redirect',
      description: 'The chosen code leads to its address.',
      http: { method: 'GET', path: '/docs', status: 302 },
    },
    {
      id: 'visits',
      description: 'Visits are counted.',
      http: { method: 'GET', path: visited, status: 200, includes: ['"visits":'] },
    },
  ],
  risks: ['Links themselves live in memory and are gone after a restart, as before.'],
} satisfies Plan;
