import http from 'node:http';
import type { AddressInfo } from 'node:net';
import sirv from 'sirv';

// Files with their precompressed variants, served by the same library as the portal's own.
const files = sirv(process.argv[2] ?? '', { brotli: true, gzip: true, etag: true, extensions: ['html'] });
const server = http.createServer((request, response) =>
  files(request, response, () => void response.writeHead(404).end()),
);
server.listen(0, '127.0.0.1', () => console.log(`up at ${(server.address() as AddressInfo).port} .`));
