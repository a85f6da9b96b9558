import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { themeOf } from '#features/base/firms/theme-settings.server.ts';
import { themeInfo } from '#features/base/firms/theme.ts';
import { actorIn, actorOf, sessionIn, stateOf, type Env } from '#features/base/people/people.server.ts';
import { responses, invalidInput } from '#platform/http/api.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { dropCookie, setCookie } from '#platform/http/cookies.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { DEFAULT_LANG, LANGS } from '#platform/text/languages.ts';
import { linkedAccounts } from './accounts.server.ts';
import { ownSession } from './devices.ts';
import { describeSession, endSession, switchAccount } from './sessions.server.ts';
import { endOtherSessions, listSessions } from './devices.server.ts';
import {
  accountQuery,
  accounts,
  accountSwitch,
  accountSwitched,
  apiTokenAnswer,
  apiTokenRequest,
  longTokens,
  sessionExtended,
  sessionInfo,
  termsAcceptance,
  termsAnswer,
} from './sessions.ts';
import { acceptTerms, termsFor } from './terms.server.ts';
import { issueApiToken, issueLink, listApiTokens, revokeApiToken, sessionSince } from './tokens.server.ts';

export const sessionsApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

const tags = ['Session'];
const base = '/api/security/v1';
const path = `${base}/session`;

const anew = z.object({ force: z.string().optional().describe('Answered anew each time, also without it') });

sessionsApi.openapi(
  createRoute({
    method: 'get',
    path,
    tags,
    summary: 'Who is signed in, and with which rights',
    request: { query: anew },
    responses: responses(sessionInfo, 'Session bindings'),
  }),
  (c) => c.json(describeSession(sessionIn(c)), 200),
);

sessionsApi.openapi(
  createRoute({
    method: 'delete',
    path,
    tags,
    summary: 'Sign out',
    responses: responses(z.strictObject({ ended: z.boolean() }), 'The session is over on the server'),
  }),
  async (c) => {
    const { session } = stateOf(c);
    if (session?.byToken !== undefined) await revokeApiToken(session.actor, session.byToken);
    else if (session) await endSession(session.id);
    c.header('Set-Cookie', dropCookie('sid'));
    c.header('Clear-Site-Data', '"cache", "storage"');
    return c.json({ ended: session !== undefined }, 200);
  },
);

sessionsApi.openapi(
  createRoute({
    method: 'get',
    path: '/api/profile/v1/themes/{companyId}',
    tags,
    summary: 'The look of your firm',
    request: { params: z.strictObject({ companyId: z.string().max(60) }) },
    responses: responses(themeInfo, 'The theme'),
  }),
  async (c) => c.json(await themeOf(actorIn(c), c.req.valid('param').companyId), 200),
);

sessionsApi.openapi(
  createRoute({
    method: 'post',
    path: `${path}/extend`,
    tags,
    summary: 'Stay signed in; answers for how long',
    responses: responses(sessionExtended, 'The session goes on'),
  }),
  (c) => c.json({ secondsLeft: Math.max(0, Math.floor((sessionIn(c).expiresAt - now()) / 1000)) }, 200),
);

const tokenPath = `${base}/long-tokens`;

sessionsApi.openapi(
  createRoute({
    method: 'post',
    path: tokenPath,
    tags,
    summary:
      'Issue a long token: for one link (60 s, single use), or for a program (at most 12 h, after a recent proof of who you are)',
    request: { body: { content: { 'application/json': { schema: apiTokenRequest } }, required: true } },
    responses: responses(apiTokenAnswer, 'The token; it cannot be read again'),
  }),
  async (c) => {
    const session = sessionIn(c);
    if (session.byToken !== undefined) throw new PortalError('FORBIDDEN');
    const { kind, hours } = c.req.valid('json');
    const proof = {
      amr: session.amr,
      authenticatedAt: session.authenticatedAt,
      since: await sessionSince(session),
    };
    // what is made there would not end with the own account
    if (session.practicedBy !== undefined) throw new PortalError('FORBIDDEN');
    const { token, tokenId, expiresAt } = await (kind === 'api'
      ? issueApiToken(session, hours)
      : issueLink(session.actor, proof));
    return c.json({ tokenId, longToken: token, expiresAt: new Date(expiresAt).toISOString() }, 200);
  },
);

sessionsApi.openapi(
  createRoute({
    method: 'get',
    path: tokenPath,
    tags,
    summary: 'The live tokens of your programs',
    responses: responses(longTokens, 'Tokens, without their secrets'),
  }),
  async (c) => c.json({ tokens: await listApiTokens(actorIn(c)) }, 200),
);

sessionsApi.openapi(
  createRoute({
    method: 'delete',
    path: `${tokenPath}/{tokenId}`,
    tags,
    summary: 'End a token of a program',
    request: { params: z.object({ tokenId: z.string().min(1).max(60) }) },
    responses: responses(z.strictObject({ ended: z.boolean() }), 'It signs nobody in any more'),
  }),
  async (c) => {
    await revokeApiToken(actorIn(c), c.req.valid('param').tokenId);
    return c.json({ ended: true }, 200);
  },
);

sessionsApi.openapi(
  createRoute({
    method: 'get',
    path: `${base}/accounts`,
    tags,
    summary: 'The firms in which you have an account',
    request: { query: accountQuery },
    responses: responses(accounts, 'Your accounts'),
  }),
  async (c) => {
    const { active } = c.req.valid('query');
    return c.json({ accounts: await linkedAccounts(actorIn(c), { active }) }, 200);
  },
);

sessionsApi.openapi(
  createRoute({
    method: 'post',
    path: `${base}/account-switch`,
    tags,
    summary: 'Go on as another of your accounts, in a new session',
    request: { body: { content: { 'application/json': { schema: accountSwitch } }, required: true } },
    responses: responses(accountSwitched, 'Who you are now; staff go to the staff area'),
  }),
  async (c) => {
    const { network } = stateOf(c);
    const { token, actor } = await switchAccount(sessionIn(c), c.req.valid('json').contactId, {
      userAgent: c.req.header('user-agent') ?? '',
      network,
    });
    for (const cookie of [
      setCookie('sid', token),
      setCookie('theme', actor.companyId, 31_536_000),
      dropCookie('client'),
    ])
      c.header('Set-Cookie', cookie, { append: true });
    return c.json({ contactId: actor.contactId, companyId: actor.companyId, staff: actor.staff }, 200);
  },
);

const termsPath = `${base}/terms`;
const inLanguage = z.strictObject({ language: z.enum(LANGS).default(DEFAULT_LANG) });

sessionsApi.openapi(
  createRoute({
    method: 'get',
    path: termsPath,
    tags,
    summary: "The firm's terms, and whether you must accept them",
    request: { query: inLanguage },
    responses: responses(termsAnswer, 'The newest terms'),
  }),
  async (c) => {
    const actor = actorIn(c);
    return c.json(
      {
        due: (await actorOf(actor.contactId)).termsDue,
        terms: (await termsFor(actor, c.req.valid('query').language)) ?? null,
      },
      200,
    );
  },
);

sessionsApi.openapi(
  createRoute({
    method: 'post',
    path: termsPath,
    tags,
    summary: 'Accept the terms that you read',
    request: { body: { content: { 'application/json': { schema: termsAcceptance } }, required: true } },
    responses: responses(z.strictObject({ accepted: z.boolean() }), 'They are accepted'),
  }),
  async (c) => {
    await acceptTerms(actorIn(c), c.req.valid('json'));
    return c.json({ accepted: true }, 200);
  },
);
const own = '/api/security/v1/sessions';

sessionsApi.openapi(
  createRoute({
    method: 'get',
    path: own,
    tags,
    summary: 'The devices on which you are signed in',
    responses: responses(
      z.strictObject({ data: z.array(ownSession) }),
      'Your sessions, the one last used first',
    ),
  }),
  async (c) => {
    return c.json({ data: await listSessions(sessionIn(c)) }, 200);
  },
);

sessionsApi.openapi(
  createRoute({
    method: 'delete',
    path: own,
    tags,
    summary: 'Sign out everywhere but here',
    responses: responses(z.strictObject({ ended: z.int() }), 'How many sessions ended'),
  }),
  async (c) => {
    return c.json({ ended: await endOtherSessions(sessionIn(c)) }, 200);
  },
);
