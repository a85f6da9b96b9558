import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { getRequestListener } from '@hono/node-server';
import type { Env, RequestState } from '#features/base/people/people.server.ts';
import type { Actor, Session } from '#features/base/people/people.ts';
import { HOUR, now } from '#platform/runtime/clock.server.ts';
import { api } from '../../src/api.server.ts';

interface Sent {
  json?: unknown;
  form?: FormData;
  /** A raw body that is not JSON. */
  text?: string;
  headers?: Record<string, string>;
}

export type Call = (method: string, path: string, sent?: Sent) => Promise<Response>;

/** Calls the API as an actor or a visitor, optionally with a specific session. */
export function apiAs(actor: Actor | undefined, session?: Session): Call {
  return async (method, path, { json, form, text, headers = {} } = {}) => {
    const body = json === undefined ? (form ?? text) : JSON.stringify(json);
    const type = json === undefined ? {} : { 'content-type': 'application/json' };
    const incoming = { portal: stateFor(actor, session) } as Env['Bindings']['incoming'];
    return api.request(
      path,
      { method, headers: { ...type, ...headers }, ...(body !== undefined && { body }) },
      { incoming },
    );
  };
}

/** The session of someone who has just signed in. */
export const sessionAs = (actor: Actor, more: Partial<Session> = {}): Session => ({
  id: 'session-of-a-test',
  actor,
  expiresAt: now() + HOUR,
  amr: ['pwd'],
  authenticatedAt: now(),
  termsDue: false,
  ...more,
});

/** The session of a staff member who impersonates a contact. */
export const impersonating = (contact: Actor, staff: Actor): Session =>
  sessionAs({ ...contact, viewedBy: staff.contactId }, { viewing: { staff, until: now() + HOUR } });

/** Everything that a client can observe of a response. */
export const seen = async (response: Response) => ({
  status: response.status,
  headers: [...response.headers],
  body: await response.text(),
});

/** A multipart form with files, as sent by a browser. */
export function filesForm(...files: (readonly [name: string, bytes: string | Buffer])[]): FormData {
  const form = new FormData();
  for (const [name, bytes] of files) form.append('file[]', new File([Buffer.from(bytes)], name));
  return form;
}

/** Serves the API on a real socket, with every request made by `actor`, to test connection behaviour. */
export async function listenAs(actor: Actor): Promise<{ port: number; close: () => Promise<void> }> {
  const answer = getRequestListener((request, env) => api.fetch(request, env), {
    overrideGlobalObjects: false,
  });
  const server = http.createServer(
    (request, response) => void answer(Object.assign(request, { portal: stateFor(actor) }), response),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function stateFor(actor: Actor | undefined, session?: Session): RequestState {
  return { requestId: 'req_test', network: '192.0.2.1', session: session ?? (actor && sessionAs(actor)) };
}
