import {
  hasPart,
  canAccessPortal,
  type Part,
  type Permission,
  type Session,
} from '#features/people/people.ts';
import type { ErrorCode } from '#platform/errors.server.ts';

/*
 * Every address that answers, and who may call it. The front door and the middleware read it, so what does
 * not stand here is not served; tests compare it with what is mounted. `visitor` needs no session: that list
 * is kept short on purpose (threat-model.md T84).
 */

export type Who = 'visitor' | 'signed-in' | 'staff' | 'demo';

/** What an address asks of whoever calls it. */
export interface Guard {
  who: Who;
  /** The part of the portal that it belongs to: who has no access to that part is refused. */
  part?: Part;
  /** A right that it needs besides. */
  permission?: Permission;
  /** Answers also while the firm's terms wait to be accepted. */
  beforeTerms?: true;
  /** A write that also staff may do who look as a contact; they may do no other (threat-model.md T14). */
  whileViewing?: true;
}

export interface ApiRoute extends Guard {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  path: string;
  who: Who;
}

const container = (path: string, method: ApiRoute['method']): ApiRoute[] =>
  ['clients', 'projects', 'folders'].map((type) => ({
    method,
    path: `/api/storage/v1/${type}/{id}/documents${path}`,
    who: 'signed-in',
  }));

/** Roles and locks, which the firm gives and sets. */
const rights = (type: string): ApiRoute[] => [
  { method: 'get', path: `/api/storage/v1/${type}/{id}/roles`, who: 'staff' },
  { method: 'put', path: `/api/storage/v1/${type}/{id}/roles/{contactId}`, who: 'staff' },
  { method: 'delete', path: `/api/storage/v1/${type}/{id}/roles/{contactId}`, who: 'staff' },
  { method: 'put', path: `/api/storage/v1/${type}/{id}/lock`, who: 'staff' },
];

export const API_ROUTES: readonly ApiRoute[] = [
  { method: 'get', path: '/api/openapi.json', who: 'visitor' },
  { method: 'get', path: '/api/docs', who: 'visitor' },
  { method: 'get', path: '/api/security/v1/session', who: 'signed-in', beforeTerms: true },
  {
    method: 'delete',
    path: '/api/security/v1/session',
    who: 'signed-in',
    beforeTerms: true,
    whileViewing: true,
  },
  { method: 'get', path: '/api/profile/v1/users/current', who: 'signed-in' },
  { method: 'put', path: '/api/profile/v1/users/current', who: 'signed-in' },
  { method: 'put', path: '/api/profile/v1/users/{prismGuid}/language', who: 'signed-in' },
  { method: 'get', path: '/api/profile/v1/contacts', who: 'signed-in' },
  { method: 'get', path: '/api/profile/v1/themes/{companyId}', who: 'signed-in' },
  { method: 'post', path: '/api/security/v1/view-as', who: 'staff', permission: 'ViewAs' },
  { method: 'delete', path: '/api/security/v1/view-as', who: 'signed-in', whileViewing: true },
  {
    method: 'post',
    path: '/api/security/v1/session/extend',
    who: 'signed-in',
    beforeTerms: true,
    whileViewing: true,
  },
  { method: 'get', path: '/api/security/v1/long-tokens', who: 'signed-in' },
  { method: 'post', path: '/api/security/v1/long-tokens', who: 'signed-in' },
  { method: 'delete', path: '/api/security/v1/long-tokens/{tokenId}', who: 'signed-in' },
  { method: 'get', path: '/api/security/v1/accounts', who: 'signed-in', beforeTerms: true },
  { method: 'post', path: '/api/security/v1/account-switch', who: 'signed-in', beforeTerms: true },
  { method: 'get', path: '/api/security/v1/terms', who: 'signed-in', beforeTerms: true },
  { method: 'post', path: '/api/security/v1/terms', who: 'signed-in', beforeTerms: true },
  { method: 'get', path: '/api/security/v1/sessions', who: 'signed-in' },
  { method: 'delete', path: '/api/security/v1/sessions', who: 'signed-in' },
  { method: 'post', path: '/api/security/v1/step-up', who: 'signed-in' },
  { method: 'post', path: '/api/security/v1/passkeys/challenge', who: 'visitor' },
  { method: 'get', path: '/api/security/v1/invitations', who: 'staff', permission: 'ManageContacts' },
  { method: 'post', path: '/api/security/v1/invitations', who: 'staff', permission: 'ManageContacts' },
  { method: 'delete', path: '/api/security/v1/invitations/{id}', who: 'staff', permission: 'ManageContacts' },
  { method: 'post', path: '/api/security/v1/oidc/login', who: 'visitor' },
  { method: 'post', path: '/api/security/v1/oidc/auth-code/session', who: 'visitor' },
  { method: 'get', path: '/api/client-center/v1/clients/', who: 'signed-in' },
  {
    method: 'post',
    path: '/api/core/v3/companies/{companyId}/clients/search',
    who: 'signed-in',
    whileViewing: true,
  }, // it only reads
  { method: 'get', path: '/api/client-center/v1/flags', who: 'signed-in' },
  { method: 'put', path: '/api/client-center/v1/flags/{flag}', who: 'staff', permission: 'ManageFirm' },
  { method: 'get', path: '/api/client-center/v1/actions', who: 'signed-in', part: 'actions' },
  { method: 'get', path: '/api/storage/v1/documents/constraints', who: 'signed-in' },
  { method: 'get', path: '/api/storage/v1/containers/documents', who: 'signed-in' },
  { method: 'post', path: '/api/storage/v1/folders', who: 'signed-in' },
  { method: 'get', path: '/api/storage/v1/containers/tree', who: 'signed-in' },
  { method: 'get', path: '/api/storage/v1/containers', who: 'signed-in' },
  { method: 'get', path: '/api/storage/v1/projects', who: 'signed-in' },
  { method: 'get', path: '/api/storage/v1/clients/{id}/descendants', who: 'signed-in' },
  { method: 'get', path: '/api/storage/v1/projects/{id}/descendants', who: 'signed-in' },
  { method: 'get', path: '/api/storage/v1/folders/{id}/descendants', who: 'signed-in' },
  ...container('', 'get'),
  ...container('/exists', 'post'),
  ...container('/{documentId}', 'get'),
  ...container('', 'post'),
  ...container('/{documentId}', 'delete'),
  { method: 'post', path: '/api/storage/v1/clients/{id}/scans', who: 'signed-in' },
  { method: 'post', path: '/api/storage/v1/projects/{id}/scans', who: 'signed-in' },
  { method: 'post', path: '/api/storage/v1/folders/{id}/scans', who: 'signed-in' },
  { method: 'put', path: '/api/storage/v1/itemmetadata', who: 'signed-in' },
  // it only reads
  { method: 'post', path: '/api/storage/v1/itemmetadata/filter', who: 'signed-in', whileViewing: true },
  { method: 'post', path: '/api/storage/v1/itemmetadata/remove', who: 'signed-in' },
  { method: 'post', path: '/api/storage/v1/notifications/documents/upload', who: 'signed-in' },
  { method: 'put', path: '/api/storage/v1/documents/read', who: 'signed-in' },
  { method: 'get', path: '/api/storage/v1/documents/{documentId}/pages/{page}', who: 'signed-in' },
  { method: 'get', path: '/api/storage/v1/uploads', who: 'signed-in' },
  { method: 'post', path: '/api/storage/v1/uploads', who: 'signed-in' },
  { method: 'get', path: '/api/storage/v1/uploads/{uploadId}', who: 'signed-in' },
  { method: 'patch', path: '/api/storage/v1/uploads/{uploadId}', who: 'signed-in' },
  { method: 'delete', path: '/api/storage/v1/uploads/{uploadId}', who: 'signed-in' },
  { method: 'get', path: '/api/storage/v1/documents/trash', who: 'signed-in' },
  { method: 'post', path: '/api/storage/v1/documents/trash', who: 'signed-in' },
  { method: 'put', path: '/api/storage/v1/documents/batch-delete', who: 'signed-in' },
  { method: 'post', path: '/api/storage/v1/documents/restore', who: 'signed-in' },
  { method: 'post', path: '/api/storage/v1/documents/purge', who: 'signed-in' },
  { method: 'post', path: '/api/storage/v1/jobs/export', who: 'signed-in' },
  { method: 'get', path: '/api/storage/v1/jobs/{jobId}', who: 'signed-in' },
  { method: 'get', path: '/api/storage/v1/jobs/{jobId}/result', who: 'signed-in' },
  { method: 'delete', path: '/api/storage/v1/jobs/{jobId}', who: 'signed-in' },
  { method: 'post', path: '/api/storage/v2/sharing/share', who: 'signed-in' },
  { method: 'get', path: '/api/storage/v2/sharing/shares', who: 'signed-in' },
  { method: 'post', path: '/api/storage/v2/sharing/shares/{shareId}/extend', who: 'signed-in' },
  {
    method: 'delete',
    path: '/api/storage/v2/sharing/shares/{shareId}/recipients/{recipientId}',
    who: 'signed-in',
  },
  { method: 'delete', path: '/api/storage/v2/sharing/shares/{shareId}', who: 'signed-in' },
  { method: 'get', path: '/api/storage/v2/sharing/links/{token}/documents/{documentId}', who: 'visitor' },
  { method: 'get', path: '/api/storage/v2/sharing/links/{token}/documents.zip', who: 'visitor' },
  { method: 'post', path: '/api/notes/v1/comments/', who: 'signed-in' },
  // it only reads
  { method: 'post', path: '/api/notes/v1/comments/search', who: 'signed-in', whileViewing: true },
  { method: 'get', path: '/api/notes/v1/comments', who: 'signed-in' },
  { method: 'delete', path: '/api/notes/v1/comments/{id}', who: 'signed-in' },
  { method: 'get', path: '/api/demo/v1/mails/{id}', who: 'demo' },
  ...['clients', 'projects', 'folders'].flatMap(rights),
  { method: 'put', path: '/api/storage/v1/documents/{id}/lock', who: 'staff' },
];

/**
 * What the front door answers itself, by the beginning of the address; every other address is a file of the
 * build or a page.
 */
export const FRONT_DOOR = {
  '/healthz': 'visitor',
  '/readyz': 'visitor',
  '/oidc/': 'visitor',
  '/theme/': 'visitor',
  '/.well-known/': 'visitor',
  '/api/': 'visitor', // each call has its own line above
} as const satisfies Record<string, Who>;

/** Pages by Astro's route pattern. */
export const PAGES: Readonly<Record<string, Guard>> = {
  '/[base]/[lang]': { who: 'signed-in' },
  '/[base]/[lang]/documents': { who: 'signed-in' },
  '/[base]/[lang]/documents/send': { who: 'signed-in' },
  '/[base]/[lang]/documents/delete': { who: 'signed-in' },
  '/[base]/[lang]/documents/trash': { who: 'signed-in' },
  '/[base]/[lang]/documents/scan': { who: 'signed-in' },
  '/[base]/[lang]/documents/rights': { who: 'staff' },
  '/[base]/[lang]/shares': { who: 'signed-in' },
  '/[base]/[lang]/documents/[documentId]': { who: 'signed-in' },
  '/[base]/[lang]/documents/[documentId]/comments': { who: 'signed-in' },
  '/[base]/[lang]/documents/[documentId]/view': { who: 'signed-in' },
  '/[base]/[lang]/documents/download': { who: 'signed-in' },
  '/[base]/[lang]/partials/download': { who: 'signed-in' },
  '/[base]/[lang]/receipts': { who: 'signed-in' },
  '/[base]/[lang]/receipts/[number]': { who: 'signed-in' },
  '/[base]/[lang]/verify': { who: 'visitor' },
  '/[base]/[lang]/partials/documents': { who: 'signed-in' },
  '/[base]/[lang]/clients': { who: 'signed-in' },
  '/[base]/[lang]/home': { who: 'signed-in', part: 'dashboards' },
  '/[base]/[lang]/tasks': { who: 'signed-in', part: 'tasks' },
  '/[base]/[lang]/actions': { who: 'signed-in', part: 'actions' },
  '/[base]/[lang]/actions/not-authorized': { who: 'signed-in' },
  '/[base]/[lang]/actions/[section]/[action]': { who: 'signed-in', part: 'actions' },
  '/[base]/[lang]/company/[companyId]': { who: 'signed-in' },
  '/[base]/[lang]/mobile': { who: 'signed-in' },
  '/[base]/[lang]/mobile/actions/[...action]': { who: 'signed-in', part: 'actions' },
  '/[base]/[lang]/.well-known/[link]': { who: 'signed-in' },
  '/[base]/[lang]/staff/access': { who: 'staff', permission: 'ManageFirm' },
  '/[base]/[lang]/profile': { who: 'signed-in' },
  '/[base]/[lang]/announcement': { who: 'signed-in' },
  '/[base]/[lang]/staff/sharing': { who: 'staff', permission: 'ManageFirm' },
  '/[base]/[lang]/staff/theme': { who: 'staff', permission: 'ManageFirm' },
  '/[base]/[lang]/profile/security': { who: 'signed-in' },
  '/[base]/[lang]/auth': { who: 'visitor' },
  '/[base]/[lang]/auth/logout': { who: 'visitor', beforeTerms: true, whileViewing: true },
  '/[base]/[lang]/auth/continue': { who: 'visitor', whileViewing: true },
  '/[base]/[lang]/account-switch': { who: 'signed-in', beforeTerms: true },
  '/[base]/[lang]/kept-form': { who: 'signed-in' },
  '/[base]/[lang]/terms-and-conditions': { who: 'signed-in', beforeTerms: true },
  '/[base]/[lang]/staff/terms': { who: 'staff', permission: 'ManageFirm' },
  '/[base]/[lang]/auth/firm-locked': { who: 'visitor' },
  '/[base]/[lang]/auth/mfa-required': { who: 'visitor' },
  '/[base]/[lang]/auth/second-step': { who: 'visitor' },
  '/[base]/[lang]/auth/leaving': { who: 'visitor', beforeTerms: true, whileViewing: true },
  '/[base]/[lang]/auth/confirm': { who: 'signed-in' },
  '/[base]/[lang]/auth/signin-error': { who: 'visitor' },
  '/[base]/[lang]/auth/forgot': { who: 'visitor' },
  '/[base]/[lang]/auth/reset/[token]': { who: 'visitor' },
  '/[base]/[lang]/auth/rescue': { who: 'visitor' },
  '/[base]/[lang]/auth/invitation/[token]': { who: 'visitor', beforeTerms: true },
  '/[base]/[lang]/auth/first-owner/[token]': { who: 'visitor' },
  '/[base]/[lang]/staff/invitations': { who: 'staff', permission: 'ManageContacts' },
  '/[base]/[lang]/staff/rescue': { who: 'staff', permission: 'ManageContacts' },
  '/[base]/[lang]/language': { who: 'visitor' },
  '/[base]/[lang]/share/[token]': { who: 'visitor' },
  '/[base]/[lang]/not-authorized': { who: 'visitor' },
  '/[base]/[lang]/profile/activity': { who: 'signed-in' },
  '/[base]/[lang]/staff': { who: 'staff' },
  '/[base]/[lang]/staff/contacts': { who: 'staff' },
  '/[base]/[lang]/staff/view-as/[id]': { who: 'staff', permission: 'ViewAs' },
  '/[base]/[lang]/staff/view-as/end': { who: 'signed-in', whileViewing: true },
  '/[base]/[lang]/staff/view-as/read-only': { who: 'signed-in' },
  '/[base]/[lang]/staff/audit': { who: 'staff', permission: 'ManageFirm' },
  '/[base]/[lang]/staff/audit.csv': { who: 'staff', permission: 'ManageFirm' },
  '/[base]/[lang]/notfound': { who: 'visitor' },
  '/[base]/[lang]/kit': { who: 'demo' },
  '/[base]/[lang]/mailbox': { who: 'demo' },
  '/[base]/[lang]/mailbox/[id]': { who: 'demo' },
  '/404': { who: 'visitor' },
  '/500': { who: 'visitor' },
};

/**
 * Why this address does not answer this session, the first reason first; undefined when it does. A page and a
 * call ask alike.
 */
export function denialReason(
  { who, part, permission, beforeTerms, whileViewing }: Guard,
  session: Session | undefined,
  { method, isDemo }: { method: string; isDemo: boolean },
): ErrorCode | undefined {
  if (who === 'demo') return isDemo ? undefined : 'NOT_FOUND';
  const isLook = method === 'GET' || method === 'HEAD';
  if (session?.viewing && !isLook && !whileViewing) return 'EMULATION_READ_ONLY';
  if (who === 'visitor') return undefined;
  if (!session) return 'UNAUTHENTICATED';
  if (!beforeTerms && !canAccessPortal(session.actor)) return 'FORBIDDEN';
  if (who === 'staff' && !session.actor.staff) return 'FORBIDDEN';
  if (permission !== undefined && !session.actor.access.permissions.has(permission)) return 'FORBIDDEN';
  if (session.termsDue && !beforeTerms) return 'TERMS_REQUIRED';
  return part !== undefined && !hasPart(session.actor.access, part) ? 'FORBIDDEN' : undefined;
}

/**
 * Where somebody is sent who asks for a part that they do not have (spec 1 section 6): dashboards and actions
 * give way to the start, tasks to the documents.
 */
export const INSTEAD_OF = { dashboards: '', tasks: 'documents', actions: '' } as const satisfies Record<
  Part,
  string
>;
