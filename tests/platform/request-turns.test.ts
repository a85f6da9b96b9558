import { EventEmitter, once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { requestTurns, TURNS } from '#platform/http/request-turns.server.ts';

/* Requests take turns by person and firm (threat-model.md T88). */

const servers: http.Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A server whose requests name their person in the address, and are worked on until they are told to end. */
async function listen() {
  const turnOf = requestTurns();
  const begun: { person: string; response: http.ServerResponse }[] = [];
  const refused: string[] = [];
  const server = http.createServer((request, response) => {
    const person = request.url?.slice(1) ?? '';
    turnOf({ person, firm: `firm of ${person}` }, request, response).then(
      () => begun.push({ person, response }),
      () => {
        refused.push(person);
        response.writeHead(429).end();
      },
    );
  });
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const agent = new http.Agent({ maxSockets: Infinity });
  const ask = (person: string): http.ClientRequest =>
    http
      .get({ port, agent, host: '127.0.0.1', path: `/${person}` }, (answer) => answer.resume())
      .on('error', () => undefined); // it is cut by the test
  const begunBy = (person: string) => begun.filter((each) => each.person === person);
  return { ask, begun, begunBy, refused, port };
}

test('of fifty requests of a person eight are worked on, the next wait, the rest are refused, and others start at once', async () => {
  const { ask, begunBy, refused } = await listen();
  for (let i = 0; i < 50; i += 1) ask('ada');
  await expect.poll(() => refused.length).toBe(50 - TURNS.personAtOnce - TURNS.perPerson);
  expect(begunBy('ada')).toHaveLength(8);
  ask('ben');
  // before any of the others has ended
  await expect.poll(() => begunBy('ben').length).toBe(1);
  expect(begunBy('ada')).toHaveLength(8);
  begunBy('ada')[0]?.response.end('ok');
  await expect.poll(() => begunBy('ada').length).toBe(9);
});

test('a download holds a turn only until it begins', async () => {
  const { ask, begunBy } = await listen();
  for (let i = 0; i < 9; i += 1) ask('ada');
  await expect.poll(() => begunBy('ada').length).toBe(8);
  const [download] = begunBy('ada');
  download?.response.writeHead(200).write('the first bytes');
  await expect.poll(() => begunBy('ada').length).toBe(9);
  expect(download?.response.writableEnded).toBe(false);
});

test('a request whose body is slow gives its turn away, and goes on', async () => {
  const { ask, begunBy, port } = await listen();
  for (let i = 0; i < 8; i += 1)
    net
      .connect(port, '127.0.0.1')
      .on('error', () => undefined)
      .write('POST /ada HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nx');
  await expect.poll(() => begunBy('ada').length).toBe(8);
  ask('ada');
  await expect.poll(() => begunBy('ada').length).toBe(9);
  expect(begunBy('ada').every(({ response }) => !response.destroyed)).toBe(true);
});

test('requests of a browser that has left make room for its next ones', async () => {
  const { ask, begunBy, refused } = await listen();
  const all = Array.from({ length: TURNS.personAtOnce + TURNS.perPerson }, () => ask('ada'));
  await expect.poll(() => begunBy('ada').length).toBe(8);
  for (const request of all) request.destroy();
  await expect.poll(() => begunBy('ada').every(({ response }) => response.closed)).toBe(true);
  ask('ada');
  await expect.poll(() => begunBy('ada').some(({ response }) => !response.closed)).toBe(true);
  expect(refused).toEqual([]);
});

test('somebody who asks while the pages of another person are made is served next', async () => {
  const turnOf = requestTurns();
  const order: string[] = [];
  const ask = async (person: string): Promise<void> => {
    const response = Object.assign(new EventEmitter(), { closed: false, writeHead: () => undefined });
    await turnOf({ person, firm: `firm of ${person}` }, { complete: true } as never, response as never);
    order.push(person);
    // while the first page is made, without a pause, the request of another person comes in
    if (order.length === 1) void ask('ben');
    response.writeHead();
  };
  for (let i = 0; i < 20; i += 1) void ask('ada');
  await expect.poll(() => order.length).toBe(21);
  expect(order.indexOf('ben')).toBe(1);
});
