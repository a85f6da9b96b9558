import { parse, serialize } from 'hono/utils/cookie';
import { isSecureOrigin } from '../runtime/config.server.ts';

/**
 * The cookies of the portal. On https they have the `__Host-` prefix, so that a sibling host cannot set them
 * (ASVS 3.3.1).
 */
export type CookieName =
  | 'sid'
  | 'signin'
  | 'client'
  | 'theme'
  | 'flash'
  | 'visit'
  | 'task-visit'
  | 'phone'
  | 'guess'
  | 'announcement'
  | 'link'
  | 'kept'
  | 'pending'
  | 'passkey'
  | 'device'
  | 'shortcuts'
  | 'styles'
  | 'reading'
  | 'offline';

/** The name of a cookie in requests. */
export const fullName = (name: CookieName): string => (isSecureOrigin() ? `__Host-${name}` : name);

export function readCookie(header: string | null | undefined, name: CookieName): string | undefined {
  return header ? parse(header, fullName(name))[fullName(name)] : undefined;
}

/**
 * A `Set-Cookie` value: HttpOnly, SameSite=Lax, Path=/, Secure on https; `maxAge` in seconds, 0 removes the
 * cookie.
 */
export function setCookie(name: CookieName, value: string, maxAge?: number): string {
  return serialize(fullName(name), value, {
    path: '/',
    httpOnly: true,
    sameSite: 'Lax',
    secure: isSecureOrigin(),
    ...(maxAge !== undefined && { maxAge }),
  });
}

export const dropCookie = (name: CookieName): string => setCookie(name, '', 0);
