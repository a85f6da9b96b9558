import { once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { guardConnections } from '#platform/http/connections.server.ts';

type Answer = (request: http.IncomingMessage, response: http.ServerResponse) => void;
const servers: http.Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A server with connection limits, and the fate of its connections. */
async function listen(answer: Answer, guardServer = guardConnections) {
  const arrived: { request: http.IncomingMessage; response: http.ServerResponse }[] = [];
  const server = http.createServer((request, response) => {
    guard.trackRequest(request, response);
    arrived.push({ request, response });
    answer(request, response);
  });
  const guard = guardServer(server);
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const connect = async (): Promise<Socket> => {
    const socket = net.connect(port, '127.0.0.1');
    socket.on('error', () => undefined); // the server disconnected
    await once(socket, 'connect');
    return socket;
  };
  /** Sends the request header and the first bytes of a body, and waits until they arrived. */
  const post = async (body = 'x'): Promise<Socket> => {
    const socket = await connect();
    const before = arrived.length;
    const received = once(server, 'request');
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n${body}`);
    await received;
    expect(arrived.length).toBe(before + 1);
    return socket;
  };
  const seconds = (count: number): void => {
    for (let i = 0; i < count; i += 1) guard.checkRates();
  };
  return { server, guard, arrived, connect, post, seconds };
}

const isOpen = ({ request }: { request: http.IncomingMessage }): boolean => !request.socket.destroyed;
const readAll: Answer = (request) => void request.resume();

describe('a request body', () => {
  test('a request body with only an occasional byte is aborted after ten seconds', async () => {
    const { post, seconds, arrived } = await listen(readAll);
    await post();
    seconds(10);
    expect(arrived.map(isOpen)).toEqual([true]);
    seconds(1);
    expect(arrived.map(isOpen)).toEqual([false]);
  });

  test('a request body at two kilobytes per second is accepted for any length of time', async () => {
    const { post, seconds, arrived } = await listen(readAll);
    const socket = await post();
    for (let second = 1; second <= 30; second += 1) {
      socket.write('x'.repeat(2048));
      await expect.poll(() => arrived[0]?.request.socket.bytesRead).toBeGreaterThan(second * 2048);
      seconds(1);
    }
    expect(arrived.map(isOpen)).toEqual([true]);
  });

  test('a request body that was fast may pause for 25 seconds and no longer', async () => {
    const { post, seconds, arrived } = await listen(readAll);
    await post('x'.repeat(100_000));
    await expect.poll(() => arrived[0]?.request.socket.bytesRead).toBeGreaterThan(100_000);
    seconds(26);
    expect(arrived.map(isOpen)).toEqual([true]);
    seconds(1);
    expect(arrived.map(isOpen)).toEqual([false]);
  });

  test('a request body that arrives faster than the portal reads it is not aborted', async () => {
    const { post, seconds, arrived } = await listen(() => undefined);
    await post('x'.repeat(900_000));
    await expect.poll(() => arrived[0]?.request.readableLength).toBeGreaterThanOrEqual(64 * 1024);
    seconds(100);
    expect(arrived.map(isOpen)).toEqual([true]);
  });
});

describe('idle connections', () => {
  /** Simulates 25 seconds without data on a connection. */
  const isQuiet = (server: http.Server, { request }: { request: http.IncomingMessage }): boolean =>
    server.emit('timeout', request.socket);

  test('an idle connection stays open while the portal works on its response', async () => {
    const { server, connect, arrived } = await listen(readAll);
    const socket = await connect();
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx');
    await expect.poll(() => arrived[0]?.request.complete).toBe(true);
    for (const one of arrived) isQuiet(server, one);
    expect(arrived.map(isOpen)).toEqual([true]);
  });

  test('an idle connection is closed when the client neither completes its request nor reads the response', async () => {
    const { server, post, connect, arrived } = await listen((request, response) => {
      request.resume();
      if (request.method === 'GET') response.end(Buffer.alloc(50_000_000));
    });
    await post();
    const reader = await connect();
    reader.pause();
    reader.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await expect.poll(() => arrived.length).toBe(2);
    for (const one of arrived) isQuiet(server, one);
    expect(arrived.map(isOpen)).toEqual([false, false]);
  });
});

describe('connections before sign-in', () => {
  test('a network can have a hundred busy connections before sign-in', async () => {
    const { connect, post, arrived } = await listen(readAll);
    for (let i = 0; i < 100; i += 1) await post();
    const late = await connect();
    await once(late, 'close');
    expect(arrived.map(isOpen)).toEqual(arrived.map(() => true));
  });

  test('a new connection before sign-in replaces an idle one', async () => {
    const { connect, post, arrived } = await listen(readAll);
    const idle = await connect();
    const closed = once(idle, 'close');
    for (let i = 0; i < 100; i += 1) await post();
    await closed;
    expect(arrived).toHaveLength(100);
  });

  test('connections of signed-in users are not counted as those before sign-in', async () => {
    let people = 0;
    const { guard, post, arrived } = await listen((request) => {
      people += 1;
      guard.markSignedIn(request, `person ${people}`);
      request.resume();
    });
    for (let i = 0; i < 101; i += 1) await post();
    expect(arrived.filter(isOpen)).toHaveLength(101);
  });

  test('slow connections without a request are closed before one that somebody of the same address uses', async () => {
    const { connect, arrived } = await listen((_, response) => response.end('ok'));
    const used = await connect();
    used.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await expect.poll(() => arrived.length).toBe(1);
    for (let i = 0; i < 300; i += 1) await connect();
    expect(used.destroyed).toBe(false);
    used.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await expect.poll(() => arrived.length).toBe(2);
  });

  test('a hundred connections whose bodies do not arrive leave room for somebody of the same address', async () => {
    const { connect, post, seconds, arrived } = await listen(readAll);
    for (let i = 0; i < 100; i += 1) await post();
    seconds(4);
    const other = await connect();
    other.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await expect.poll(() => arrived.length).toBe(101);
    expect(arrived.filter(isOpen)).toHaveLength(100);
  });
});

describe('connections of a person', () => {
  /** A server where everybody is the same person, and what it answers to each request. */
  async function asOnePerson(isAnswered: boolean) {
    const results: boolean[] = [];
    const listening = await listen((request, response) => {
      results.push(listening.guard.markSignedIn(request, 'ada'));
      request.resume();
      if (isAnswered) response.end('ok');
    });
    return { ...listening, results };
  }

  test('beyond 64 the oldest idle one is closed, and the new one works', async () => {
    const { connect, results, arrived } = await asOnePerson(true);
    for (let i = 1; i <= 70; i += 1) {
      const socket = await connect();
      socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
      await expect.poll(() => arrived.length).toBe(i);
    }
    expect(results.every(Boolean)).toBe(true);
    await expect.poll(() => arrived.filter(isOpen).length).toBe(64);
    expect(arrived.slice(0, 6).some(isOpen), 'the oldest').toBe(false);
  });

  test('beyond 64 at work a request is refused, and none of the others is cut', async () => {
    const { post, results, arrived } = await asOnePerson(false);
    for (let i = 0; i < 65; i += 1) await post();
    expect(results.filter(Boolean)).toHaveLength(64);
    expect(results.at(-1)).toBe(false);
    expect(arrived.filter(isOpen)).toHaveLength(65);
  });
});

describe('requests through a proxy before sign-in', () => {
  /** A portal behind a proxy on this machine, which answers only when told to; refused requests at once. */
  async function behindProxy() {
    vi.stubEnv('TRUSTED_PROXIES', '127.0.0.1');
    vi.resetModules();
    const [connections, { networkOf }] = await Promise.all([
      import('#platform/http/connections.server.ts'),
      import('#platform/http/http-security.server.ts'),
    ]);
    const waiting: http.ServerResponse[] = [];
    const { server } = await listen((request, response) => {
      if (connections.admitsProxiedRequest(request, networkOf(request), response)) waiting.push(response);
      else response.writeHead(429).end();
    }, connections.guardConnections);
    const { port } = server.address() as AddressInfo;
    const agent = new http.Agent({ keepAlive: true });
    /** Sends a request of a client of the proxy; `undefined` while it waits, which is known when it has arrived. */
    const ask = async (network: string): Promise<number | undefined> => {
      const arrived = once(server, 'request') as Promise<[http.IncomingMessage, http.ServerResponse]>;
      http
        .get({ port, agent, host: '127.0.0.1', headers: { 'x-forwarded-for': network } }, (answer) =>
          answer.resume(),
        )
        .on('error', () => undefined); // the server disconnected
      const [, response] = await arrived;
      return response.writableEnded ? response.statusCode : undefined;
    };
    return { ask, waiting };
  }
  afterEach(() => vi.unstubAllEnvs());

  test('a hundred of one network wait for an answer, and the next is refused until one is answered', async () => {
    const { ask, waiting } = await behindProxy();
    for (let i = 0; i < 100; i += 1) expect(await ask('198.51.100.1')).toBeUndefined();
    expect(await ask('198.51.100.1')).toBe(429);
    expect(await ask('198.51.100.2'), 'another network').toBeUndefined();
    const closed = new Promise((resolve) => waiting[0]?.once('close', resolve));
    waiting[0]?.end();
    await closed;
    expect(await ask('198.51.100.1')).toBeUndefined();
    expect(await ask('198.51.100.1')).toBe(429);
  });

  test('the devices of one IPv6 network count together', async () => {
    const { ask } = await behindProxy();
    for (let i = 0; i < 100; i += 1) expect(await ask(`2001:db8:1:1::${i + 1}`)).toBeUndefined();
    expect(await ask('2001:db8:1:1::ffff')).toBe(429);
    expect(await ask('2001:db8:1:2::1')).toBeUndefined();
  });
});
