import { createHmac } from 'node:crypto';
import type { Session } from '#features/base/people/people.ts';
import { readCookie, setCookie } from '#platform/http/cookies.server.ts';
import { keyFor } from '#platform/security/crypto.server.ts';

/*
 * Whether a device keeps the last pages of a person is a choice of this person on this device, which a cookie keeps. In the app
 * of the firm it is taken for granted: who puts it on a home screen has the device to themselves.
 */

const YEAR = 31_536_000;

const mac = (text: string): string =>
  createHmac('sha256', keyFor('offline')).update(text).digest('base64url').slice(0, 16);

/** Whose page it is, for the service worker: another one for each sign-in, contact and firm, and for each viewer. */
export const sessionKey = ({ id, actor, viewing }: Session): string =>
  mac(
    ['page', actor.sessionId ?? id, actor.contactId, actor.companyId, viewing?.staff.contactId ?? ''].join(
      ' ',
    ),
  );

/** The cookie of somebody's choice for this device. */
export const offlineCookie = (contactId: string, isKept: boolean): string =>
  setCookie('offline', `${mac(`choice ${contactId}`)}.${isKept ? 'keep' : 'no'}`, YEAR);

/** What this person chose for this device; undefined if they have not chosen. */
export function offlineChoice(contactId: string, cookies: string | null | undefined): boolean | undefined {
  const [owner, choice] = readCookie(cookies, 'offline')?.split('.') ?? [];
  return owner === mac(`choice ${contactId}`) ? choice === 'keep' : undefined;
}

/** Pages are kept for contacts alone: what staff see is about many of them. */
export const mayKeepPages = ({ actor, viewing }: Session): boolean => !viewing && !actor.staff;

/**
 * The cookie to set when the app of the firm is opened for the first time; undefined in any other case. A link of another
 * site cannot stand in for the app.
 */
export function cookieOfApp(request: Request, session: Session): string | undefined {
  const { headers, url } = request;
  const isApp =
    new URL(url).searchParams.get('source') === 'app' &&
    ['none', 'same-origin'].includes(headers.get('sec-fetch-site') ?? '');
  const { contactId } = session.actor;
  const isUndecided = offlineChoice(contactId, headers.get('cookie')) === undefined;
  return isApp && isUndecided && mayKeepPages(session) ? offlineCookie(contactId, true) : undefined;
}

/** Whether a page may be kept that was answered with success: without filters and messages, if the person chose so. */
export function mayBeKept(request: Request, session: Session): boolean {
  const { headers, method, url } = request;
  return (
    method === 'GET' &&
    headers.get('save-data') !== 'on' &&
    [...new URL(url).searchParams.keys()].every((name) => name === 'client') &&
    mayKeepPages(session) &&
    offlineChoice(session.actor.contactId, headers.get('cookie')) === true
  );
}
