import { createHash } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';

// The minimum that a store does: writes a body to a file with its SHA-256, synced before the response; and
// reads a file back.
const folder = process.argv[2] ?? '';

async function take(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
  const file = await open(path.join(folder, path.basename(request.url ?? '')), 'w');
  const digest = createHash('sha256');
  for await (const chunk of request as AsyncIterable<Buffer>) {
    digest.update(chunk);
    await file.write(chunk);
  }
  await file.datasync();
  await file.close();
  response.end(digest.digest('hex'));
}

async function give(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
  const place = path.join(folder, path.basename(request.url ?? ''));
  response.setHeader('Content-Length', statSync(place).size);
  await pipeline(createReadStream(place), response).catch(() => undefined); // a reader that disconnects
}

const server = http.createServer(
  (request, response) => void (request.method === 'PUT' ? take(request, response) : give(request, response)),
);
server.listen(0, '127.0.0.1', () => console.log(`up at ${(server.address() as AddressInfo).port} .`));
