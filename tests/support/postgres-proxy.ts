import { once } from 'node:events';
import { createConnection, createServer, type AddressInfo, type Socket } from 'node:net';

/**
 * What becomes of a statement: it passes; the connection is reset before the server gets it, or after the server has
 * answered, without that answer; or nothing goes either way any more, as when a machine dies.
 */
type Fate = 'pass' | 'cut before' | 'cut after' | 'hold';

export interface PostgresProxy {
  /** The address of the database through the proxy. */
  url: string;
  /** Decides about every statement; by default all pass. */
  decide: (statement: string) => Fate;
  /** Holds every open connection from now on; new ones work. */
  holdAll: () => void;
  close: () => Promise<void>;
}

/** Starts a proxy before a PostgreSQL server that reads along what is sent to it. */
export async function startPostgresProxy(databaseUrl: string): Promise<PostgresProxy> {
  const { hostname, port } = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const held = new WeakSet<Socket>();
  const server = createServer((near) => {
    const far = createConnection(Number(port), hostname);
    let isCut = false;
    const reset = (): void => void (near.resetAndDestroy(), far.destroy());
    for (const socket of [near, far]) sockets.add(socket.on('error', () => undefined));
    near.on('close', () => held.has(near) || far.destroy());
    far.on('close', () => held.has(near) || near.destroy());
    const statements = statementReader();
    near.on('data', (bytes: Buffer) => {
      if (held.has(near)) return;
      for (const statement of statements(bytes)) {
        const fate = proxy.decide(statement);
        if (fate === 'cut before') return reset();
        if (fate === 'hold') return void held.add(near);
        if (fate === 'cut after') isCut = true;
      }
      far.write(bytes);
    });
    far.on('data', (bytes: Buffer) => {
      if (held.has(near)) return;
      if (!isCut) near.write(bytes);
      else if (isReady(bytes)) reset();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = new URL(databaseUrl);
  address.port = String((server.address() as AddressInfo).port);
  const proxy: PostgresProxy = {
    url: address.href,
    decide: () => 'pass',
    holdAll: () => {
      for (const socket of sockets) held.add(socket);
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => void server.close(() => resolve()));
    },
  };
  return proxy;
}

/** ReadyForQuery ends the answer of the server to a statement. */
const isReady = (bytes: Buffer): boolean => bytes.at(-6) === 'Z'.charCodeAt(0) && bytes.at(-2) === 5;

/** Reads the statements in the messages of a client (PostgreSQL, Message Formats). */
function statementReader(): (bytes: Buffer) => string[] {
  let unread = Buffer.alloc(0);
  let isStarted = false;
  return (bytes) => {
    unread = Buffer.concat([unread, bytes]);
    const statements: string[] = [];
    for (;;) {
      // only the first message has no type
      const offset = isStarted ? 1 : 0;
      if (unread.length < offset + 4) return statements;
      const end = offset + unread.readInt32BE(offset);
      if (unread.length < end) return statements;
      const message = unread.subarray(0, end);
      unread = unread.subarray(end);
      if (isStarted) statements.push(...statementIn(message));
      isStarted = true;
    }
  };
}

function statementIn(message: Buffer): string[] {
  const type = String.fromCharCode(message[0] ?? 0);
  if (type !== 'Q' && type !== 'P') return [];
  const start = type === 'Q' ? 5 : message.indexOf(0, 5) + 1; // after the name of the prepared statement
  return [message.toString('utf8', start, message.indexOf(0, start))];
}
