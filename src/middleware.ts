import type { APIContext, MiddlewareNext } from 'astro';
import { defineMiddleware, sequence } from 'astro:middleware';
import { endExpiredImpersonation, markWrites } from '#features/staff/staff.server.ts';
import { firmForVisitor, firmOf } from '#features/firms/firms.server.ts';
import { choiceOf, clientOf, clientOfPage } from '#features/clients/clients.server.ts';
import { canAccessPortal, namedIn, type Actor, type Named, type Session } from '#features/people/people.ts';
import { accountFor, saveForm, saveFormFor, linkedAccounts } from '#features/session/session.server.ts';
import { addressBuilder } from '#platform/addresses.server.ts';
import { config } from '#platform/config.server.ts';
import { dropCookie, readCookie, setCookie } from '#platform/cookies.server.ts';
import { isStorageUnavailable, PortalError, refusal } from '#platform/errors.server.ts';
import { errorPage } from '#platform/error-page.server.ts';
import { flashCookie, unpackFlash } from '#platform/flash.server.ts';
import { formOf } from '#platform/form.server.ts';
import {
  DEFAULT_LANG,
  isLang,
  languageOf,
  LANGUAGE_CODE,
  LANGUAGES,
  preferredLanguage,
} from '#platform/languages.ts';
import { log } from '#platform/log.server.ts';
import { compressPage } from '#platform/page-compression.server.ts';
import { INSTEAD_OF, PAGES, denialReason } from './routes.ts';

/**
 * A long token leaves the address before anything else happens, into a cookie that lives as long as it may; a
 * page then asks whether to go on (threat-model.md T19).
 */
const handOver = defineMiddleware((context, next) => {
  const token = context.url.searchParams.get('token');
  if (token === null || context.request.method !== 'GET') return next();
  const clean = new URL(context.url);
  clean.searchParams.delete('token');
  const segment = clean.pathname.split('/')[2];
  const lang = isLang(segment)
    ? segment
    : preferredLanguage(context.request.headers.get('accept-language') ?? undefined);
  const asked = encodeURIComponent(clean.pathname + clean.search);
  const response = redirect(303, `/${config.base}/${lang}/auth/continue?r=${asked}`);
  response.headers.append('Set-Cookie', setCookie('link', /^[\w-]{43}$/.test(token) ? token : '-', 60));
  response.headers.set('Referrer-Policy', 'no-referrer');
  return response;
});

/**
 * Base and language: one spelling of every address, the others are redirected for good (product.md,
 * Addresses).
 */
const address = defineMiddleware((context, next) => {
  const { pathname, search } = context.url;
  const [base, first, second, ...rest] = pathname.split('/').slice(1);
  const preferred = preferredLanguage(context.request.headers.get('accept-language') ?? undefined);
  if (pathname === '/' || (base === config.base && !first))
    return redirect(302, `/${config.base}/${preferred}/${search}`, setCookie('guess', preferred, 3600));
  if (base !== config.base || first === undefined) return nowhere(context, next);
  if (isLang(first)) {
    context.locals.lang = first;
    context.locals.locale = LANGUAGES[first];
    return next();
  }
  const pair =
    second !== undefined && /^[a-z]{2}$/i.test(second) && first.toLowerCase() === 'en'
      ? languageOf(`${first}-${second}`)
      : undefined;
  const meant = pair ?? languageOf(first);
  if (!meant) {
    if (!LANGUAGE_CODE.test(first)) log.warn({ event: 'language.malformed' });
    return nowhere(context, next);
  }
  const tail = (pair ? rest : [second, ...rest]).filter((part) => part !== undefined).join('/');
  return redirect(308, `/${config.base}/${meant}/${tail}${search}`);
});

/** The not-found page, which a rewrite has perhaps led to already. */
const nowhere = (context: APIContext, next: MiddlewareNext) =>
  context.routePattern === '/404' ? next() : context.rewrite('/404');

/**
 * An address that names a firm or a client is answered for these alone (spec 1 section 4, the guard of the
 * client centre). Where another account of the same person may see them, a page asks first, for no link may
 * change by itself who somebody is; what none of their accounts may see is not open to them
 * (docs/decisions/0040).
 */
const account = defineMiddleware(async (context, next) => {
  const { optionalSession: session, lang } = context.locals;
  const who = PAGES[context.routePattern]?.who;
  const named = namedIn(context.url);
  if (!session || !named || who === undefined || who === 'visitor' || who === 'demo') return next();
  const owner = await accountFor(session, named);
  if (owner?.contactId === session.actor.contactId) {
    const cameByLink = context.url.searchParams.has('firm') && context.request.method === 'GET';
    return cameByLink ? tellAbout(context, session, named) : next();
  }
  if (context.routePattern.startsWith('/[base]/[lang]/partials/')) return context.rewrite('/404');
  if (!owner) return redirect(303, `/${config.base}/${lang}/not-authorized?because=account`);
  return askToSwitch(context, owner, named);
});

/**
 * A link of a mail is in the right account: the firm leaves the address, and whoever has several companies is
 * told which one this is about.
 */
async function tellAbout(
  { url, request }: APIContext,
  { actor }: Session,
  { client: clientId }: Named,
): Promise<Response> {
  const clean = new URL(url);
  clean.searchParams.delete('firm');
  const client = clientId === undefined ? undefined : await clientOf(actor, clientId);
  const isOther = client && client.id !== readCookie(request.headers.get('cookie'), 'client');
  const hasSeveral = (await linkedAccounts(actor, { active: true })).length > 1;
  const isNews = hasSeveral || (isOther && (await choiceOf(actor, client.id)).kind !== 'one');
  const vars = { firm: (await firmOf(actor.companyId)).name, client: client?.displayAs ?? '' };
  const told = isNews
    ? flashCookie({ type: 'info', namespace: 'session', key: client ? 'aboutClient' : 'aboutFirm', vars })
    : undefined;
  return redirect(303, clean.pathname + clean.search, told);
}

/**
 * To the page that asks whether to go on in another account, and back. What was posted from a tab of that
 * account is kept until then.
 */
async function askToSwitch(
  { request, url, locals: { lang } }: APIContext,
  owner: Actor,
  named: Named,
): Promise<Response> {
  const here = url.pathname + url.search;
  // what cannot be read cannot be kept
  const form = request.method === 'POST' ? await formOf(request).catch(() => undefined) : undefined;
  const kept = form && (await saveFormFor(owner.contactId, here, form));
  const back = kept ? `/${config.base}/${lang}/kept-form?${new URLSearchParams({ ...named })}` : here;
  const target = `/${config.base}/${lang}/account-switch?r=${encodeURIComponent(back)}`;
  return redirect(303, target, kept && setCookie('kept', kept, 3600));
}

/** Who may see this page, by the route table; closed by default. */
const guard = defineMiddleware(async (context, next) => {
  const { optionalSession: session, demo, lang, lockedOut, pathTo } = context.locals;
  const rule = PAGES[context.routePattern];
  const code = rule
    ? denialReason(rule, session, { method: context.request.method, isDemo: demo })
    : 'NOT_FOUND';
  const asked = encodeURIComponent(context.url.pathname + context.url.search);
  if (code === undefined) return next();
  if (code === 'NOT_FOUND') return context.rewrite('/404');
  if (code === 'EMULATION_READ_ONLY') return readOnly(context, next);
  if (code === 'UNAUTHENTICATED' && lockedOut)
    return redirect(303, `/${config.base}/${lang}/auth/firm-locked`);
  const back =
    code === 'UNAUTHENTICATED'
      ? await endExpiredImpersonation(readCookie(context.request.headers.get('cookie'), 'sid'))
      : undefined;
  if (back !== undefined) return backToStaff(lang, back);
  if (code === 'UNAUTHENTICATED') return signInFirst(context, asked);
  if (code === 'TERMS_REQUIRED')
    return redirect(303, `/${config.base}/${lang}/terms-and-conditions?r=${asked}`);
  const { part } = rule ?? {};
  if (part && session && canAccessPortal(session.actor)) return redirect(303, pathTo(INSTEAD_OF[part]));
  const because = rule?.who !== 'staff' ? undefined : session?.actor.staff ? 'right' : 'staff';
  return redirect(303, pathTo('not-authorized', { because }));
});

/** Who looks as somebody else cannot write: the page says so, and that nothing was changed. */
async function readOnly(context: APIContext, next: MiddlewareNext): Promise<Response> {
  const page = new URL(`/${config.base}/${context.locals.lang}/staff/view-as/read-only`, context.url);
  const { body, headers } = await next(new Request(page, { headers: context.request.headers }));
  return new Response(body, { status: 403, headers });
}

/** The time to look as somebody is up: the staff's own session goes on, and says so. */
function backToStaff(lang: string, token: string): Response {
  const response = redirect(303, `/${config.base}/${lang}/staff`);
  response.headers.append('Set-Cookie', setCookie('sid', token));
  response.headers.append(
    'Set-Cookie',
    flashCookie({ type: 'info', namespace: 'staff', key: 'lookTimedOut' }),
  );
  return response;
}

/** To the sign-in, and back. What was posted when the session had ended is kept until then. */
async function signInFirst({ request, url, locals: { lang } }: APIContext, asked: string): Promise<Response> {
  // ui/form/enhance.ts submits the form natively then, and that request saves it
  if (request.headers.get('accept') === 'application/json') return new Response(null, { status: 401 });
  const sid = readCookie(request.headers.get('cookie'), 'sid');
  // what cannot be read cannot be kept
  const form = request.method === 'POST' && sid ? await formOf(request).catch(() => undefined) : undefined;
  const kept = form && (await saveForm(sid, url.pathname + url.search, form));
  const response = redirect(
    303,
    `/${config.base}/${lang}/auth?r=${kept ? encodeURIComponent(`/${config.base}/${lang}/kept-form`) : asked}`,
  );
  if (kept) response.headers.append('Set-Cookie', setCookie('kept', kept, 3600));
  return response;
}

/**
 * A redirect to another site becomes a page that goes on there by itself, as signing out does: after a form a
 * browser follows redirects within this site only (`form-action` in astro.config.mjs), and stays where it was
 * without a word. What the sign-in page is asked may be the end of such a chain, so nothing here asks whether
 * a form was sent.
 */
const leaving = defineMiddleware(async (context, next) => {
  const response = await next();
  const target = isRedirect(response)
    ? URL.parse(response.headers.get('location') ?? '', config.origin)
    : null;
  if (!target || target.origin === config.origin) return response;
  context.locals.leavingFor = target.href;
  const { headers } = context.request;
  const page = await context.rewrite(
    new Request(new URL(`/${config.base}/${context.locals.lang}/auth/leaving`, config.origin), { headers }),
  );
  for (const cookie of response.headers.getSetCookie()) page.headers.append('Set-Cookie', cookie);
  return page;
});

/** The firm whose look the page takes, and what the last form had to say. */
const surroundings = defineMiddleware(async (context, next) => {
  const cookies = context.request.headers.get('cookie');
  const { optionalSession: session } = context.locals;
  context.locals.lang ??= preferredLanguage(context.request.headers.get('accept-language') ?? undefined);
  context.locals.locale ??= LANGUAGES[context.locals.lang];
  context.locals.firm = session
    ? await firmOf(session.actor.companyId)
    : await firmForVisitor(readCookie(cookies, 'theme'));
  context.locals.timeZone = context.locals.firm?.timeZone ?? 'UTC';
  context.locals.flash = unpackFlash(readCookie(cookies, 'flash'));
  const response = await next();
  const policy = response.headers.get('content-security-policy');
  if (policy && config.mobileOrigins.length > 0)
    response.headers.set(
      'content-security-policy',
      policy.replace("frame-ancestors 'none'", `frame-ancestors ${config.mobileOrigins.join(' ')}`),
    );
  // What the last form had to say is said by the page at the end of the redirects.
  if (context.locals.flash && !isRedirect(response))
    response.headers.append('Set-Cookie', dropCookie('flash'));
  if (isPage(response)) response.headers.set('content-type', 'text/html; charset=utf-8');
  return response;
});

/**
 * A page that asks for what is not there, or not theirs, shows the not-found page; what is not allowed leads
 * to the page that says so; a form that cannot be read is refused; everything else is a fault of ours.
 */
const refusals = defineMiddleware(async (context: APIContext, next: MiddlewareNext) => {
  try {
    return await next();
  } catch (error) {
    const no = refusal(error);
    if (no?.code === 'NOT_FOUND') return context.rewrite('/404');
    if (no?.code === 'FORBIDDEN') return redirect(303, context.locals.pathTo('not-authorized'));
    if (no?.code === 'INVALID')
      return new Response('This form cannot be read.\n', {
        status: no.status,
        headers: { 'Content-Type': 'text/plain; charset=utf-8' },
      });
    if (no?.code !== 'UNAVAILABLE' && no?.code !== 'DAMAGED' && !isStorageUnavailable(error))
      log.error({ err: error, event: 'page.failed', route: context.routePattern });
    throw error;
  }
});

/**
 * What pages read of the request: the session, addresses of other pages, and the client, which is looked up when
 * first asked for. Where no address names it and it is not the choice yet, it becomes that.
 */
const sessionAndClient = defineMiddleware(async (context: APIContext, next: MiddlewareNext) => {
  const { locals, url, request } = context;
  if (Object.hasOwn(locals, 'client')) return next(); // one page has led to another
  const cookies = request.headers.get('cookie');
  const named = url.searchParams.get('client');
  const pinnedClient = locals.optionalSession && named ? named : undefined;
  let client: App.Locals['client'] | undefined;
  Object.defineProperties(locals, {
    session: { get: () => signedIn(locals) },
    pinnedClient: { value: pinnedClient },
    pathTo: { value: addressBuilder(() => locals.lang, pinnedClient) },
    client: {
      get: () => (client ??= clientOfPage(locals.session.actor, named, readCookie(cookies, 'client'))),
      set: (other: App.Locals['client']) => {
        client = other;
      },
    },
  });
  const answer = await next();
  // The frame asks for the client too, so the page must be whole. Compressed it is.
  const isWhole = answer.headers.has('content-encoding') || request.method === 'HEAD';
  const response = isWhole ? answer : await withHtml(answer, (html) => html);
  const shown = named === null && isPage(response) ? await client : undefined;
  if (shown && shown.id !== readCookie(cookies, 'client'))
    response.headers.append('Set-Cookie', setCookie('client', shown.id, 31_536_000));
  return response;
});

function signedIn({ optionalSession }: App.Locals): Session {
  if (!optionalSession) throw new PortalError('UNAUTHENTICATED');
  return optionalSession;
}

/** A page is compressed when all of it is there: once, also where one page leads to another. */
const compressed = defineMiddleware(async (context: APIContext, next: MiddlewareNext) => {
  if (context.locals.isRewritten) return next();
  context.locals.isRewritten = true;
  return compressPage(context.request, await next());
});

/** Staff who view as a contact see which controls are not theirs to use, also with scripts off. */
const viewed = defineMiddleware(async (context: APIContext, next: MiddlewareNext) => {
  const response = await next();
  return context.locals.optionalSession?.viewing ? withHtml(response, markWrites) : response;
});

/** The same answer with its page changed; any other answer as it is. */
async function withHtml(response: Response, change: (html: string) => string): Promise<Response> {
  if (!isPage(response)) return response;
  const headers = new Headers(response.headers);
  headers.delete('content-length'); // the page has changed
  return new Response(change(await response.text()), { status: response.status, headers });
}

/**
 * What a page cannot help is said in words: the database is away, and the browser may come back soon; or
 * nothing can be stored. Every other fault goes on to the error page.
 */
const unavailable = defineMiddleware(async (context: APIContext, next: MiddlewareNext) => {
  try {
    return await next();
  } catch (error) {
    const status = refusal(error)?.code === 'UNAVAILABLE' ? 503 : 507;
    if (status === 507 && !isStorageUnavailable(error)) throw error;
    const headers = {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      ...(status === 503 && { 'Retry-After': '1' }),
    };
    return new Response(errorPage(context.locals.lang ?? DEFAULT_LANG, error), { status, headers });
  }
});

const isPage = ({ headers }: Response): boolean =>
  headers.get('content-type')?.startsWith('text/html') ?? false;
const isRedirect = ({ status }: Response): boolean => status >= 300 && status < 400;
const redirect = (status: number, location: string, cookie?: string): Response =>
  new Response(null, {
    status,
    headers: { Location: location, ...(cookie !== undefined && { 'Set-Cookie': cookie }) },
  });

export const onRequest = sequence(
  unavailable,
  sessionAndClient,
  compressed,
  handOver,
  address,
  leaving,
  account,
  viewed,
  guard,
  surroundings,
  refusals,
);
