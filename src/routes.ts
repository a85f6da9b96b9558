import { hasPart, type Part, type Session } from '#features/people/people.ts';
import type { ErrorCode } from '#platform/errors.server.ts';

/*
 * Every address that answers, and who may call it. The front door and the middleware read it, so what does not stand here is not
 * served; tests compare it with what is mounted. `visitor` needs no session: that list is kept short on purpose (security.md T84).
 */

export type Who = 'visitor' | 'signed-in' | 'staff' | 'demo';

/** What an address asks of whoever calls it. */
export interface Guard {
  who: Who;
  /** The part of the portal that it belongs to: who has no access to that part is refused. */
  part?: Part;
  /** Answers also while the firm's terms wait to be accepted. */
  beforeTerms?: true;
  /** A write that also staff may do who look as a contact; they may do no other (security.md T14). */
  whileViewing?: true;
}

export interface ApiRoute extends Guard {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  path: string;
  who: Who;
}

const container = (path: string, method: ApiRoute['method']): ApiRoute[] =>
  ['clients', 'projects', 'folders'].map((type) => ({ method, path: `/api/storage/v1/${type}/{id}/documents${path}`, who: 'signed-in' }));

export const API_ROUTES: readonly ApiRoute[] = [
  { method: 'get', path: '/api/openapi.json', who: 'visitor' },
  { method: 'get', path: '/api/docs', who: 'visitor' },
  { method: 'get', path: '/api/security/v1/session', who: 'signed-in', beforeTerms: true },
  { method: 'delete', path: '/api/security/v1/session', who: 'signed-in', beforeTerms: true, whileViewing: true },
  { method: 'post', path: '/api/security/v1/oidc/login', who: 'visitor' },
  { method: 'post', path: '/api/security/v1/oidc/auth-code/session', who: 'visitor' },
  { method: 'get', path: '/api/client-center/v1/clients/', who: 'signed-in' },
  { method: 'get', path: '/api/storage/v1/documents/constraints', who: 'signed-in' },
  { method: 'get', path: '/api/storage/v1/containers/documents', who: 'signed-in' },
  { method: 'post', path: '/api/storage/v1/folders', who: 'signed-in' },
  ...container('/exists', 'post'),
  ...container('/{documentId}', 'get'),
  ...container('', 'post'),
  { method: 'post', path: '/api/storage/v2/sharing/share', who: 'signed-in' },
  { method: 'get', path: '/api/storage/v2/sharing/links/{token}/documents/{documentId}', who: 'visitor' },
  { method: 'get', path: '/api/storage/v2/sharing/links/{token}/documents.zip', who: 'visitor' },
  { method: 'get', path: '/api/demo/v1/mails/{id}', who: 'demo' },
];

/** What the front door answers itself, by the beginning of the address; every other address is a file of the build or a page. */
export const FRONT_DOOR = {
  '/healthz': 'visitor',
  '/readyz': 'visitor',
  '/oidc/': 'visitor',
  '/theme/': 'visitor',
  '/api/': 'visitor', // each call has its own line above
} as const satisfies Record<string, Who>;

/** Pages by Astro's route pattern. */
export const PAGES: Readonly<Record<string, Guard>> = {
  '/[base]/[lang]': { who: 'signed-in' },
  '/[base]/[lang]/documents': { who: 'signed-in' },
  '/[base]/[lang]/documents/send': { who: 'signed-in' },
  '/[base]/[lang]/partials/documents': { who: 'signed-in' },
  '/[base]/[lang]/clients': { who: 'signed-in' },
  '/[base]/[lang]/auth': { who: 'visitor' },
  '/[base]/[lang]/auth/logout': { who: 'visitor', beforeTerms: true, whileViewing: true },
  '/[base]/[lang]/auth/firm-locked': { who: 'visitor' },
  '/[base]/[lang]/auth/mfa-required': { who: 'visitor' },
  '/[base]/[lang]/auth/signin-error': { who: 'visitor' },
  '/[base]/[lang]/language': { who: 'visitor' },
  '/[base]/[lang]/share/[token]': { who: 'visitor' },
  '/[base]/[lang]/not-authorized': { who: 'visitor' },
  '/[base]/[lang]/notfound': { who: 'visitor' },
  '/[base]/[lang]/kit': { who: 'demo' },
  '/[base]/[lang]/mailbox': { who: 'demo' },
  '/[base]/[lang]/mailbox/[id]': { who: 'demo' },
  '/404': { who: 'visitor' },
  '/500': { who: 'visitor' },
};

/** Why this address does not answer this session, the first reason first; undefined when it does. A page and a call ask alike. */
export function whyNot({ who, part, beforeTerms, whileViewing }: Guard, session: Session | undefined, { method, isDemo }: { method: string; isDemo: boolean }): ErrorCode | undefined {
  if (who === 'demo') return isDemo ? undefined : 'NOT_FOUND';
  const isLook = method === 'GET' || method === 'HEAD';
  if (session?.viewing && !isLook && !whileViewing) return 'EMULATION_READ_ONLY';
  if (who === 'visitor') return undefined;
  if (!session) return 'UNAUTHENTICATED';
  if (who === 'staff' && !session.actor.staff) return 'FORBIDDEN';
  if (session.termsDue && !beforeTerms) return 'TERMS_REQUIRED';
  return part !== undefined && !hasPart(session.actor.access, part) ? 'FORBIDDEN' : undefined;
}
