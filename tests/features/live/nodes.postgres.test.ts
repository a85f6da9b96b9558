import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { findSession, startSession } from '#features/identity/sessions/sessions.server.ts';
import { endStreams, openStream, startStreams } from '#features/office/live/streams.server.ts';
import { BROWSER, makeCast } from '../../support/cast.ts';
import '../../../src/app.server.ts';

/* What another node does is a statement on a connection of its own. */

const { ada } = await makeCast();
const token = await startSession(ada, BROWSER);
const server = http.createServer((_, response) => {
  void findSession(token).then((session) => session && openStream(response, session, token));
});
await once(server.listen(0, '127.0.0.1'), 'listening');
startStreams();
afterAll(async () => {
  await endStreams();
  server.closeAllConnections();
  server.close();
});

test('a change on another node is told as soon as that node says so', async () => {
  const { port } = server.address() as AddressInfo;
  const request = http.get({ port, host: '127.0.0.1' });
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  let text = '';
  response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  response.on('error', () => undefined);
  request.on('error', () => undefined);
  await expect.poll(() => text).toContain('event: counts');
  const other = new pg.Client({ connectionString: process.env['DATABASE_URL'] });
  await other.connect();
  await other.query("insert into attention values ($1, 'elsewhere', 0)", [ada.contactId]);
  await other.query("select pg_notify('attention', '')");
  await expect.poll(() => text).toContain('"v":"elsewhere"');
  await other.end();
});
