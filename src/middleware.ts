import type { APIContext, MiddlewareNext } from 'astro';
import { defineMiddleware, sequence } from 'astro:middleware';
import { endOverdueLook } from '#features/staff/staff.server.ts';
import { firmForVisitor, firmOf } from '#features/firms/firms.server.ts';
import { mayEnter } from '#features/people/people.ts';
import { keepForm } from '#features/session/session.server.ts';
import { config } from '#platform/config.server.ts';
import { dropCookie, readCookie, setCookie } from '#platform/cookies.server.ts';
import { refusal } from '#platform/errors.server.ts';
import { flashCookie, unpackFlash } from '#platform/flash.server.ts';
import { formOf } from '#platform/form.server.ts';
import { DEFAULT_LANG, isLang, languageOf, LANGUAGE_CODE, LANGUAGES, preferredLanguage } from '#platform/languages.ts';
import { log } from '#platform/log.server.ts';
import { keepClient, withClient } from '#platform/pinned-client.server.ts';
import { wordsFor } from '#platform/words.server.ts';
import { INSTEAD_OF, PAGES, whyNot } from './routes.ts';

/** A long token leaves the address before anything else happens, into a cookie that lives as long as it may; a page then asks whether to go on (security.md T19). */
const handOver = defineMiddleware((context, next) => {
  const token = context.url.searchParams.get('token');
  if (token === null || context.request.method !== 'GET') return next();
  const clean = new URL(context.url);
  clean.searchParams.delete('token');
  const segment = clean.pathname.split('/')[2];
  const lang = isLang(segment) ? segment : preferredLanguage(context.request.headers.get('accept-language') ?? undefined);
  const asked = encodeURIComponent(clean.pathname + clean.search);
  const response = redirect(303, `/${config.base}/${lang}/auth/continue?r=${asked}`);
  response.headers.append('Set-Cookie', setCookie('link', /^[\w-]{43}$/.test(token) ? token : '-', 60));
  response.headers.set('Referrer-Policy', 'no-referrer');
  return response;
});

/** Base and language: one spelling of every address, the others are redirected for good (product.md, Addresses). */
const address = defineMiddleware((context, next) => {
  const { pathname, search } = context.url;
  const [base, first, second, ...rest] = pathname.split('/').slice(1);
  const preferred = preferredLanguage(context.request.headers.get('accept-language') ?? undefined);
  if (pathname === '/' || (base === config.base && !first)) return redirect(302, `/${config.base}/${preferred}/${search}`, setCookie('guess', preferred, 3600));
  if (base !== config.base || first === undefined) return nowhere(context, next);
  if (isLang(first)) {
    context.locals.lang = first;
    context.locals.locale = LANGUAGES[first];
    return next();
  }
  const pair = second !== undefined && /^[a-z]{2}$/i.test(second) && first.toLowerCase() === 'en' ? languageOf(`${first}-${second}`) : undefined;
  const meant = pair ?? languageOf(first);
  if (!meant) {
    if (!LANGUAGE_CODE.test(first)) log.warn({ event: 'language.malformed' });
    return nowhere(context, next);
  }
  const tail = (pair ? rest : [second, ...rest]).filter((part) => part !== undefined).join('/');
  return redirect(308, `/${config.base}/${meant}/${tail}${search}`);
});

/** The not-found page, which a rewrite has perhaps led to already. */
const nowhere = (context: APIContext, next: MiddlewareNext) => (context.routePattern === '/404' ? next() : context.rewrite('/404'));

/** Who may see this page, by the route table; closed by default. */
const guard = defineMiddleware(async (context, next) => {
  const { session, demo, lang, lockedOut } = context.locals;
  const rule = PAGES[context.routePattern];
  const code = rule ? whyNot(rule, session, { method: context.request.method, isDemo: demo }) : 'NOT_FOUND';
  const asked = encodeURIComponent(context.url.pathname + context.url.search);
  if (code === undefined) return next();
  if (code === 'NOT_FOUND') return context.rewrite('/404');
  if (code === 'EMULATION_READ_ONLY') return readOnly(context, next);
  if (code === 'UNAUTHENTICATED' && lockedOut) return redirect(303, `/${config.base}/${lang}/auth/firm-locked`);
  const back = code === 'UNAUTHENTICATED' ? await endOverdueLook(readCookie(context.request.headers.get('cookie'), 'sid')) : undefined;
  if (back !== undefined) return backToStaff(lang, back);
  if (code === 'UNAUTHENTICATED') return signInFirst(context, asked);
  if (code === 'TERMS_REQUIRED') return redirect(303, `/${config.base}/${lang}/terms-and-conditions?r=${asked}`);
  const { part } = rule ?? {};
  if (part && session && mayEnter(session.actor)) return redirect(303, `/${config.base}/${lang}/${INSTEAD_OF[part]}`);
  const because = rule?.who !== 'staff' ? '' : session?.actor.staff ? '?because=right' : '?because=staff';
  return redirect(303, `/${config.base}/${lang}/not-authorized${because}`);
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
  response.headers.append('Set-Cookie', flashCookie({ type: 'info', room: 'staff', key: 'lookTimedOut' }));
  return response;
}

/** To the sign-in, and back. What was posted when the session had ended is kept until then. */
async function signInFirst({ request, url, locals: { lang } }: APIContext, asked: string): Promise<Response> {
  const sid = readCookie(request.headers.get('cookie'), 'sid');
  const form = request.method === 'POST' && sid ? await formOf(request).catch(() => undefined) : undefined; // what cannot be read cannot be kept
  const kept = form && (await keepForm(sid, url.pathname + url.search, form));
  const response = redirect(303, `/${config.base}/${lang}/auth?r=${kept ? encodeURIComponent(`/${config.base}/${lang}/kept-form`) : asked}`);
  if (kept) response.headers.append('Set-Cookie', setCookie('kept', kept, 3600));
  return response;
}

/** The firm whose look the page takes, and what the last form had to say. */
const surroundings = defineMiddleware(async (context, next) => {
  const cookies = context.request.headers.get('cookie');
  const { session } = context.locals;
  context.locals.lang ??= preferredLanguage(context.request.headers.get('accept-language') ?? undefined);
  context.locals.locale ??= LANGUAGES[context.locals.lang];
  context.locals.firm = session ? await firmOf(session.actor.companyId) : await firmForVisitor(readCookie(cookies, 'theme'));
  context.locals.flash = unpackFlash(readCookie(cookies, 'flash'));
  const response = await next();
  const policy = response.headers.get('content-security-policy');
  if (policy && config.mobileOrigins.length > 0) response.headers.set('content-security-policy', policy.replace("frame-ancestors 'none'", `frame-ancestors ${config.mobileOrigins.join(' ')}`));
  if (context.locals.flash) response.headers.append('Set-Cookie', dropCookie('flash'));
  if (response.headers.get('content-type')?.startsWith('text/html')) response.headers.set('content-type', 'text/html; charset=utf-8');
  return response;
});

/** A page that asks for what is not there, or not theirs, shows the not-found page; what is not allowed leads to the page that says so; a form that cannot be read is refused; everything else is a fault of ours. */
const refusals = defineMiddleware(async (context: APIContext, next: MiddlewareNext) => {
  try {
    return await next();
  } catch (error) {
    const no = refusal(error);
    if (no?.code === 'NOT_FOUND') return context.rewrite('/404');
    if (no?.code === 'FORBIDDEN') return redirect(303, `/${config.base}/${context.locals.lang}/not-authorized`);
    if (no?.code === 'INVALID') return new Response('This form cannot be read.\n', { status: no.status, headers: { 'Content-Type': 'text/plain; charset=utf-8' } });
    if (no?.code !== 'UNAVAILABLE') log.error({ err: error, event: 'page.failed', route: context.routePattern });
    throw error;
  }
});

/** A tab that is about one client stays so, wherever its links and forms lead. */
const pinned = defineMiddleware(async (context: APIContext, next: MiddlewareNext) => {
  const response = await next();
  const clientId = context.url.searchParams.get('client');
  if (!clientId || !context.locals.session) return response;
  const home = `/${config.base}/${context.locals.lang}/`;
  const location = response.headers.get('location');
  if (location !== null) response.headers.set('location', withClient(location, clientId, home));
  if (!response.headers.get('content-type')?.startsWith('text/html')) return response;
  const headers = new Headers(response.headers);
  headers.delete('content-length'); // it was that of the page before its links grew
  return new Response(keepClient(await response.text(), clientId, home), { status: response.status, headers });
});

/** The database is away: this page says so, and the browser may come back at once. Every other fault goes on to the error page. */
const unavailable = defineMiddleware(async (context: APIContext, next: MiddlewareNext) => {
  try {
    return await next();
  } catch (error) {
    if (refusal(error)?.code !== 'UNAVAILABLE') throw error;
    const t = wordsFor(context.locals.lang ?? DEFAULT_LANG, 'errors');
    const text = `<!doctype html><html lang="${context.locals.locale ?? 'en'}"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${t('faultTitle')}</title><h1>${t('faultTitle')}</h1><p>${t('faultText')}</p></html>`;
    return new Response(text, { status: 503, headers: { 'Content-Type': 'text/html; charset=utf-8', 'Retry-After': '1', 'Cache-Control': 'no-store' } });
  }
});

const redirect = (status: number, location: string, cookie?: string): Response => new Response(null, { status, headers: { Location: location, ...(cookie !== undefined && { 'Set-Cookie': cookie }) } });

export const onRequest = sequence(unavailable, handOver, address, guard, pinned, surroundings, refusals);
