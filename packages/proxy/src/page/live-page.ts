import { createHash } from 'node:crypto';
import { pageLive } from './page-live.ts';
import { pageMarkup } from './page-markup.ts';
import { pageStyle } from './page-style.ts';
import { pageViews } from './page-views.ts';

/**
 * The page at `/forge/`, with headers to serve it. It is whole: it loads nothing but
 * `/forge/usage`, and its policy lets no script or style run but its own.
 */
export const livePage: { readonly body: string; readonly headers: readonly string[] } = compose();

function compose() {
  const script = `'use strict';\n(() => {${pageViews}${pageLive}})();`;
  const icon = `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><circle cx='8' cy='8' r='6' fill='%235c8f6b'/></svg>`;
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Forge proxy</title>
<link rel="icon" href="data:image/svg+xml,${icon}">
<style>${pageStyle}</style>
</head>
<body>${pageMarkup}<script>${script}</script>
</body>
</html>
`;
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(pageStyle)}'`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    body: html,
    headers: [
      ...['content-security-policy', policy.join('; ')],
      ...['referrer-policy', 'no-referrer'],
      ...['x-content-type-options', 'nosniff'],
    ],
  };
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
