import type http from 'node:http';
import type { Socket } from 'node:net';
import { config } from '../runtime/config.server.ts';
import { isTrustedProxy, plainAddress } from './http-security.server.ts';
import { log } from '../monitoring/log.server.ts';
import { networksAround } from './networks.server.ts';

/*
 * Limits what one client can occupy: connections before sign-in, and slow request bodies (threat-model.md
 * T56). A connection is never closed while the portal is working on its request.
 */

/**
 * Maximum connections per network prefix before sign-in. At the limit, a new connection replaces an idle one.
 */
const MAX_BEFORE_SIGN_IN = 100;
const MAX_CONNECTIONS = 4000;
/** Maximum connections per network prefix in all, and per person; beyond them the oldest idle one is closed. */
const MAX_PER_NETWORK = 1000;
const MAX_PER_PERSON = 64;
/** Idle timeout in ms while the portal waits for the client. */
const IDLE_TIMEOUT = 25_000;
/**
 * Minimum rate of a request body, in bytes per second. It may fall behind by GRACE seconds in total; faster
 * bodies earn up to MAX_GRACE.
 */
const MIN_RATE = 2048;
const GRACE = 10;
const MAX_GRACE = 25;
/** How many seconds a body has fallen behind when its connection may be closed to make room. */
const LATE = 3;

interface Connection {
  /** The network prefix it counts towards; undefined for a trusted proxy, which everybody shares. */
  prefix: string | undefined;
  /** Who has signed in. */
  person?: string;
  /** Whether it has sent a request: one that never has is the first to be closed. */
  isUsed: boolean;
  request?: http.IncomingMessage;
  response?: http.ServerResponse;
  /** Seconds that the body may still fall behind, and the bytes received at the last check. */
  grace: number;
  bytesAtLastCheck: number;
}

/** Guards the connections of a server. Call `checkRates` every second. */
export function guardConnections(server: http.Server) {
  const connections = new Map<Socket, Connection>();
  server.maxConnections = MAX_CONNECTIONS;
  server.setTimeout(IDLE_TIMEOUT);
  server.on('drop', () => log.warn({ event: 'connections.full' }));

  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    const prefix = isTrustedProxy(address) ? undefined : networksAround(plainAddress(address)).prefix;
    if (prefix !== undefined && !makeRoom(prefix)) {
      log.warn({ event: 'connections.too-many-of-network' });
      socket.destroy();
      return;
    }
    connections.set(socket, { prefix, isUsed: false, grace: GRACE, bytesAtLastCheck: 0 });
    socket.once('close', () => connections.delete(socket));
  });

  /**
   * Whether another connection of this prefix is allowed; closes one that does nothing if needed, so that people of the
   * same address do not lose theirs to somebody who only holds connections open.
   */
  function makeRoom(prefix: string): boolean {
    const all = [...connections].filter(([, { prefix: other }]) => other === prefix);
    const before = all.filter(([, { person }]) => person === undefined);
    return (
      (before.length < MAX_BEFORE_SIGN_IN || closeOne(before)) &&
      (all.length < MAX_PER_NETWORK || closeOne(all))
    );
  }

  /** Closes the oldest connection that has never sent a request, else one that is idle, else one whose body is late. */
  function closeOne(candidates: readonly (readonly [Socket, Connection])[]): boolean {
    const idle = candidates.filter(([, { request }]) => request === undefined);
    const late = candidates.filter(([, one]) => one.grace < GRACE - LATE && isClientsTurn(one));
    const [socket] = idle.find(([, { isUsed }]) => !isUsed) ?? idle[0] ?? late[0] ?? [];
    socket?.destroy();
    return socket !== undefined;
  }

  server.on('timeout', (socket: Socket) => {
    const connection = connections.get(socket);
    if (connection && isPortalsTurn(connection)) socket.setTimeout(IDLE_TIMEOUT);
    else socket.destroy();
  });

  return {
    /** Tracks the request of a connection until its response has ended. */
    trackRequest(request: http.IncomingMessage, response: http.ServerResponse): void {
      const connection = connections.get(request.socket);
      if (!connection) return;
      Object.assign(connection, {
        isUsed: true,
        request,
        response,
        grace: GRACE,
        bytesAtLastCheck: request.socket.bytesRead,
      });
      response.once('close', () => {
        if (connection.response !== response) return; // the next request has replaced it
        delete connection.request;
        delete connection.response;
      });
    },
    /**
     * Marks a connection as that of a person: it no longer counts as one before sign-in. False if the person has too many
     * and none of them is idle.
     */
    markSignedIn(request: http.IncomingMessage, person: string): boolean {
      const connection = connections.get(request.socket);
      if (!connection || connection.prefix === undefined) return true; // of a proxy, which everybody shares
      connection.person = person;
      const own = [...connections].filter(([, { person: other }]) => other === person);
      if (own.length <= MAX_PER_PERSON) return true;
      return closeOne(own.filter(([socket]) => socket !== request.socket));
    },
    /** Closes connections whose request bodies arrive too slowly. */
    checkRates(): void {
      for (const [socket, connection] of connections) {
        if (!isClientsTurn(connection)) continue;
        const seconds = (socket.bytesRead - connection.bytesAtLastCheck) / MIN_RATE;
        connection.bytesAtLastCheck = socket.bytesRead;
        connection.grace = Math.min(MAX_GRACE, connection.grace - 1 + seconds);
        if (connection.grace >= 0) continue;
        log.info({ event: 'request.too-slow' });
        socket.destroy();
      }
    },
  };
}

/** The portal waits for the body of a request. */
const isClientsTurn = ({ request }: Connection): boolean =>
  request !== undefined && !request.complete && !isBufferFull(request);

/** The read buffer is full: the client is waiting for the portal. */
const isBufferFull = (request: http.IncomingMessage): boolean =>
  request.readableLength >= request.readableHighWaterMark;

function isPortalsTurn({ request, response }: Connection): boolean {
  if (!request || !response || response.writableEnded) return false;
  return (request.complete || isBufferFull(request)) && response.writableLength === 0;
}

/** Requests in flight per network before sign-in that came through a proxy, whose connections are shared. */
const throughProxies = new Map<string, number>();

/**
 * Whether another proxied request of a network is allowed before sign-in; it counts until its response ends.
 */
export function admitsProxiedRequest(
  request: http.IncomingMessage,
  network: string,
  response: http.ServerResponse,
): boolean {
  if (config.trustedProxies.length === 0 || !isTrustedProxy(request.socket.remoteAddress ?? '')) return true;
  const { prefix } = networksAround(network);
  const count = throughProxies.get(prefix) ?? 0;
  if (count >= MAX_BEFORE_SIGN_IN) return false;
  throughProxies.set(prefix, count + 1);
  response.once('close', () => {
    const left = (throughProxies.get(prefix) ?? 1) - 1;
    if (left === 0) throughProxies.delete(prefix);
    else throughProxies.set(prefix, left);
  });
  return true;
}
