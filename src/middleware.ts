import type { APIContext, MiddlewareNext } from 'astro';
import { defineMiddleware, sequence } from 'astro:middleware';
import { firmForVisitor, firmOf } from '#features/firms/firms.server.ts';
import { config } from '#platform/config.server.ts';
import { dropCookie, readCookie } from '#platform/cookies.server.ts';
import { refusal } from '#platform/errors.server.ts';
import { unpackFlash } from '#platform/flash.server.ts';
import { DEFAULT_LANG, isLang, languageOf, LANGUAGE_CODE, LANGUAGES, preferredLanguage } from '#platform/languages.ts';
import { log } from '#platform/log.server.ts';
import { wordsFor } from '#platform/words.server.ts';
import { PAGES, whyNot } from './routes.ts';

/** Base and language: one spelling of every address, the others are redirected for good (product.md, Addresses). */
const address = defineMiddleware((context, next) => {
  const { pathname, search } = context.url;
  const [base, first, second, ...rest] = pathname.split('/').slice(1);
  const preferred = preferredLanguage(context.request.headers.get('accept-language') ?? undefined);
  if (pathname === '/' || (base === config.base && !first)) return redirect(302, `/${config.base}/${preferred}/${search}`);
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
  if (code === 'UNAUTHENTICATED' && lockedOut) return redirect(303, `/${config.base}/${lang}/auth/firm-locked`);
  if (code === 'UNAUTHENTICATED') return redirect(303, `/${config.base}/${lang}/auth?r=${asked}`);
  if (code === 'TERMS_REQUIRED') return redirect(303, `/${config.base}/${lang}/terms-and-conditions?r=${asked}`);
  return redirect(303, `/${config.base}/${lang}/not-authorized`);
});

/** The firm whose look the page takes, and what the last form had to say. */
const surroundings = defineMiddleware(async (context, next) => {
  const cookies = context.request.headers.get('cookie');
  const { session } = context.locals;
  context.locals.lang ??= preferredLanguage(context.request.headers.get('accept-language') ?? undefined);
  context.locals.locale ??= LANGUAGES[context.locals.lang];
  context.locals.firm = session ? await firmOf(session.actor.companyId) : await firmForVisitor(readCookie(cookies, 'theme'));
  context.locals.flash = unpackFlash(readCookie(cookies, 'flash'));
  const response = await next();
  if (context.locals.flash) response.headers.append('Set-Cookie', dropCookie('flash'));
  if (response.headers.get('content-type')?.startsWith('text/html')) response.headers.set('content-type', 'text/html; charset=utf-8');
  return response;
});

/** A page that asks for what is not there, or not theirs, shows the not-found page; a form that cannot be read is refused; everything else is a fault of ours. */
const refusals = defineMiddleware(async (context: APIContext, next: MiddlewareNext) => {
  try {
    return await next();
  } catch (error) {
    const no = refusal(error);
    if (no?.code === 'NOT_FOUND') return context.rewrite('/404');
    if (no?.code === 'INVALID') return new Response('This form cannot be read.\n', { status: no.status, headers: { 'Content-Type': 'text/plain; charset=utf-8' } });
    if (no?.code !== 'UNAVAILABLE') log.error({ err: error, event: 'page.failed', route: context.routePattern });
    throw error;
  }
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

const redirect = (status: number, location: string): Response => new Response(null, { status, headers: { Location: location } });

export const onRequest = sequence(unavailable, address, guard, surroundings, refusals);
