import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { pathToFileURL } from 'node:url';
import compression from 'compression';

// A bare Astro build, in middleware mode like ours, behind the portal's own compression.
type Pages = (request: http.IncomingMessage, response: http.ServerResponse) => Promise<void>;

const { handler } = (await import(pathToFileURL(process.argv[2] ?? '').href)) as { handler: Pages };
const compress = compression();
const server = http.createServer((request, response) => {
  // The library is typed for Express, but uses only node:http.
  compress(request as never, response as never, () => void handler(request, response));
});
server.listen(0, '127.0.0.1', () => console.log(`up at ${(server.address() as AddressInfo).port} .`));
