import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { config } from '#platform/runtime/config.server.ts';
import { VERSION } from '#platform/runtime/version.server.ts';
import { keyFor, sha256 } from '#platform/security/crypto.server.ts';

/** A worker with which a portal takes back the one of before: it deletes what was kept, and itself. */
const OFF = `addEventListener('install', (event) => event.waitUntil(skipWaiting()));
addEventListener('activate', (event) => event.waitUntil((async () => {
  for (const name of await caches.keys()) await caches.delete(name);
  await registration.unregister();
})()));
`;

/** It may ask the portal for what it keeps, and do nothing else. */
const POLICY = "default-src 'none'; connect-src 'self'; style-src 'self'; img-src 'self'";

/** Returns what answers for the service worker. `file`: the script, as it was built. */
export function serviceWorker(file: string): (request: IncomingMessage, response: ServerResponse) => void {
  const script = readFileSync(file, 'utf8');
  // nobody learns the version of the portal from it
  const release = createHmac('sha256', keyFor('release')).update(`${VERSION} ${script}`).digest('base64url');
  const portal = JSON.stringify({ base: `/${config.base}/`, release: release.slice(0, 12) });
  const content = config.serviceWorker ? `self.PORTAL=${portal};${script}` : OFF;
  const etag = `"${sha256(content).slice(0, 16)}"`;
  return (request, response) => {
    response.setHeaders(
      new Map(
        Object.entries({
          'Content-Type': 'text/javascript; charset=utf-8',
          'Content-Security-Policy': POLICY,
          'Cache-Control': 'no-cache',
          ETag: etag,
        }),
      ),
    );
    if (request.headers['if-none-match'] === etag) response.writeHead(304).end();
    else response.end(request.method === 'HEAD' ? undefined : content);
  };
}
