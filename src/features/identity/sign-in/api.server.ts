import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { oidcCode, oidcLogin, oidcLoginStarted, oidcToken } from './sign-in.ts';
import { finishSignIn, isEmbedded, startAtIssuer } from './sign-in.server.ts';
import { stateOf, type Env } from '#features/base/people/people.server.ts';
import { issueLink } from '#features/identity/sessions/tokens.server.ts';
import { responses, invalidInput, jsonBody } from '#platform/http/api.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { dropCookie, readCookie } from '#platform/http/cookies.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import { DEFAULT_LANG, isLang, languageOf, type Lang } from '#platform/text/languages.ts';
import { safeRedirect } from '#platform/http/safe-redirect.ts';

/*
 * The sign-in calls for single-page apps and other programs (spec 1 section 7). They are here and not in a
 * feature because they combine two that do not know each other: identity and session.
 */

export const signInApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

const tags = ['Sign-in'];
const pageOf = (lang: Lang, page: string): string => `/${config.base}/${lang}/${page}`;

signInApi.openapi(
  createRoute({
    method: 'post',
    path: '/api/security/v1/oidc/login',
    tags,
    summary: 'Where a sign-in begins: the address is in the body and in the Location header',
    request: { body: jsonBody(oidcLogin) },
    responses: responses(oidcLoginStarted, 'Open this address in the browser'),
  }),
  async (c) => {
    const { lang: wanted, redirectUri } = c.req.valid('json');
    const lang = languageOf(wanted) ?? DEFAULT_LANG;
    const returnTo = safeRedirect(redirectUri, config.origin, pageOf(lang, ''));
    // The embedded issuer asks for the password on the portal's own page, before the OIDC flow.
    const { location, cookies } = isEmbedded()
      ? { location: `${config.origin}${pageOf(lang, 'auth')}?r=${encodeURIComponent(returnTo)}`, cookies: [] }
      : await startAtIssuer({ lang, returnTo, network: stateOf(c).network });
    for (const cookie of cookies) c.header('Set-Cookie', cookie, { append: true });
    c.header('Location', location);
    return c.json({ redirectUrl: location }, 200);
  },
);

signInApi.openapi(
  createRoute({
    method: 'post',
    path: '/api/security/v1/oidc/auth-code/session',
    tags,
    summary: 'Exchange the code of a sign-in for a long token, from the browser that began it',
    request: { query: oidcCode },
    responses: responses(oidcToken, 'A token for one use, soon'),
  }),
  async (c) => {
    const answered = new URL(`${config.origin}${c.req.path}`);
    const { code, state, iss } = c.req.valid('query');
    answered.search = new URLSearchParams({ code, state, ...(iss !== undefined && { iss }) }).toString();
    const { actor, amr, authenticatedAt } = await finishSignIn(
      answered,
      readCookie(c.req.header('cookie'), 'signin'),
    ).catch((error: unknown) => {
      const expected = refusal(error);
      const returnTo = safeRedirect(
        String(expected?.details['returnTo'] ?? ''),
        config.origin,
        pageOf(DEFAULT_LANG, ''),
      );
      const lang = returnTo.split('/')[2] ?? '';
      if (expected?.code === 'MFA_AUTHENTICATION_REQUIRED')
        c.header(
          'Location',
          `${pageOf(isLang(lang) ? lang : DEFAULT_LANG, 'auth/mfa-required')}?r=${encodeURIComponent(returnTo)}`,
        );
      throw error;
    });
    c.header('Set-Cookie', dropCookie('signin'));
    const { token } = await issueLink(actor, { amr, authenticatedAt, since: now() });
    return c.json({ tokenValue: token }, 200);
  },
);
