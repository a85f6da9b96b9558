import { parse, serialize } from 'hono/utils/cookie';
import { isSecureOrigin } from '#platform/runtime/config.server.ts';

/** The login ticket's cookie: sent to the embedded provider only, for a minute. */
const name = (): string => (isSecureOrigin() ? '__Secure-ticket' : 'ticket');

export const TICKET_SECONDS = 60;

export const ticketCookie = (token: string): string =>
  serialize(name(), token, {
    path: '/oidc',
    httpOnly: true,
    sameSite: 'Lax',
    secure: isSecureOrigin(),
    maxAge: TICKET_SECONDS,
  });

export const readTicketCookie = (header: string | undefined): string | undefined =>
  header ? parse(header, name())[name()] : undefined;

const PROVIDER_SESSION = '_session';

/**
 * Removes the provider's own session from the browser: otherwise the next person on this device would be
 * asked to sign the previous one out.
 */
export const forgetProviderSession = (): string[] =>
  [PROVIDER_SESSION, `${PROVIDER_SESSION}.sig`].map((cookie) =>
    serialize(cookie, '', {
      path: '/oidc',
      httpOnly: true,
      sameSite: 'Lax',
      secure: isSecureOrigin(),
      maxAge: 0,
    }),
  );
