import type { APIContext, MiddlewareNext } from 'astro';
import { defineMiddleware, sequence } from 'astro:middleware';
import { endExpiredImpersonation } from '#features/office/staff/view-as.server.ts';
import { markWrites } from '#features/office/staff/read-only-markup.server.ts';
import { firmForVisitor, firmOf, inlineTheme } from '#features/base/firms/firms.server.ts';
import { choiceOf, clientOf, clientOfPage } from '#features/clients/clients/clients.server.ts';
import {
  canAccessPortal,
  hasPart,
  isReadOnly,
  namedIn,
  type Actor,
  type Named,
  type Session,
} from '#features/base/people/people.ts';
import { survivorOf } from '#features/base/people/merged-clients.server.ts';
import { newOpenings } from '#features/sharing/sharing/openings.server.ts';
import { accountFor, linkedAccounts } from '#features/identity/sessions/accounts.server.ts';
import { saveForm, saveFormFor } from '#features/identity/sessions/saved-forms.server.ts';
import { addressBuilder } from '#platform/http/addresses.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import {
  dropCookie,
  fullName,
  readCookie,
  setCookie,
  type CookieName,
} from '#platform/http/cookies.server.ts';
import { KEEP_HEADER, KEPT_FOR } from '#features/office/offline/offline.ts';
import { cookieOfApp, mayBeKept } from '#features/office/offline/offline.server.ts';
import { explainWords } from '#features/base/reading/plain-words.server.ts';
import { readingFor } from '#features/base/reading/reading.server.ts';
import {
  isOutcomeUnknown,
  isStorageUnavailable,
  PortalError,
  refusal,
} from '#platform/runtime/errors.server.ts';
import { errorPage } from '#platform/http/error-page.server.ts';
import { flashCookie, unpackFlash } from '#platform/http/flash.server.ts';
import { formOf, receiveFiles } from '#platform/forms/form.server.ts';
import { addFormKeys, postOnce } from '#platform/forms/form-keys.server.ts';
import {
  DEFAULT_LANG,
  isLang,
  languageOf,
  LANGUAGE_CODE,
  LANGUAGES,
  preferredLanguage,
} from '#platform/text/languages.ts';
import { log } from '#platform/monitoring/log.server.ts';
import { recordOpened } from '#platform/mail/mail-log.server.ts';
import { compressWhole } from '#platform/http/compression.server.ts';
import { inlineStyles, isFirstView, type ThemeSheet } from '#platform/http/first-view.server.ts';
import { safeRedirect } from '#platform/http/safe-redirect.ts';
import { INSTEAD_OF, PAGES, denialReason } from './routes.ts';

/**
 * Moves a long token from the address into a short-lived cookie before anything else; a page then asks for
 * confirmation (threat-model.md T19).
 */
const tokenToCookie = defineMiddleware((context, next) => {
  const token = context.url.searchParams.get('token');
  if (token === null || context.request.method !== 'GET') return next();
  const clean = new URL(context.url);
  clean.searchParams.delete('token');
  const segment = clean.pathname.split('/')[2];
  const lang = isLang(segment)
    ? segment
    : preferredLanguage(context.request.headers.get('accept-language') ?? undefined);
  const returnTo = encodeURIComponent(clean.pathname + clean.search);
  const response = redirect(303, `/${config.base}/${lang}/auth/continue?r=${returnTo}`);
  response.headers.append('Set-Cookie', setCookie('link', /^[\w-]{43}$/.test(token) ? token : '-', 60));
  response.headers.set('Referrer-Policy', 'no-referrer');
  return response;
});

/** Redirects every spelling of base and language to the canonical one (product.md, Addresses). */
const canonicalAddress = defineMiddleware((context, next) => {
  const { pathname, search } = context.url;
  const [base, first, second, ...rest] = pathname.split('/').slice(1);
  const preferred = preferredLanguage(context.request.headers.get('accept-language') ?? undefined);
  if (pathname === '/' || (base === config.base && !first))
    return redirect(302, `/${config.base}/${preferred}/${search}`, setCookie('guess', preferred, 3600));
  if (base !== config.base || first === undefined) return notFoundPage(context, next);
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
    return notFoundPage(context, next);
  }
  const tail = (pair ? rest : [second, ...rest]).filter((part) => part !== undefined).join('/');
  return redirect(308, `/${config.base}/${meant}/${tail}${search}`);
});

/** Lets the forms of pages that take files have some. */
const filesOfForms = defineMiddleware((context, next) => {
  const { request, routePattern, locals } = context;
  const maxBytes = PAGES[routePattern]?.takesFiles;
  if (maxBytes !== undefined) receiveFiles(request, { maxBytes, read: () => locals.readFilesForm(maxBytes) });
  return next();
});

/** Shows the not-found page, unless a rewrite already did. */
const notFoundPage = (context: APIContext, next: MiddlewareNext) =>
  context.routePattern === '/404' ? next() : context.rewrite('/404');

/**
 * Checks the firm or client named in the address (spec 1 section 4, the guard of the client centre). If
 * another account of the same person may see it, a page asks whether to switch: a link never switches
 * accounts by itself. If none of their accounts may see it, access is denied (docs/decisions/0040).
 */
const accountGuard = defineMiddleware(async (context, next) => {
  const { optionalSession: session, lang } = context.locals;
  const who = PAGES[context.routePattern]?.who;
  const named = namedIn(context.url);
  if (!session || !named || who === undefined || who === 'visitor' || who === 'demo') return next();
  const owner = await accountFor(session, named);
  if (owner?.contactId === session.actor.contactId) {
    const cameByLink = context.url.searchParams.has('firm') && context.request.method === 'GET';
    return cameByLink ? openMailedLink(context, session, named) : next();
  }
  if (context.routePattern.startsWith('/[base]/[lang]/partials/')) return context.rewrite('/404');
  if (!owner)
    return (
      (await followMerge(context, session, named)) ??
      redirect(303, `/${config.base}/${lang}/not-authorized?because=account`)
    );
  return askToSwitch(context, owner, named);
});

/** Leads a link that names a merged client to the client that it was merged into, and says so. */
async function followMerge(
  { url, request }: APIContext,
  { actor }: Session,
  { client }: Named,
): Promise<Response | undefined> {
  const survivor =
    client === undefined || request.method !== 'GET' ? undefined : await survivorOf(actor, client);
  if (!survivor) return undefined;
  const there = new URL(url);
  there.searchParams.set('client', survivor.id);
  const vars = { from: survivor.formerName };
  return redirect(
    303,
    there.pathname + there.search,
    flashCookie({ type: 'info', namespace: 'records', key: 'mergedHere', vars }),
  );
}

/**
 * Removes the firm of a mailed link from the address once the right account is active, and tells people with
 * several companies which one the link is about.
 */
async function openMailedLink(
  { url, request }: APIContext,
  { actor, viewing }: Session,
  { client: clientId }: Named,
): Promise<Response> {
  const mailId = url.searchParams.get('mail');
  if (mailId !== null && !viewing) await recordOpened(mailId, actor.contactId);
  const clean = new URL(url);
  clean.searchParams.delete('firm');
  clean.searchParams.delete('mail');
  clean.searchParams.delete('source');
  const client = clientId === undefined ? undefined : await clientOf(actor, clientId);
  const isOther = client && client.id !== readCookie(request.headers.get('cookie'), 'client');
  const hasSeveral = (await linkedAccounts(actor, { active: true })).length > 1;
  const shouldMention = hasSeveral || (isOther && (await choiceOf(actor, client.id)).kind !== 'one');
  const vars = { firm: (await firmOf(actor.companyId)).name, client: client?.displayAs ?? '' };
  const message = shouldMention
    ? flashCookie({ type: 'info', namespace: 'session', key: client ? 'aboutClient' : 'aboutFirm', vars })
    : undefined;
  return redirect(303, clean.pathname + clean.search, message);
}

/**
 * Redirects to the page that asks whether to switch accounts, and then back. Posted form data is stored until
 * then.
 */
async function askToSwitch(
  { request, url, locals: { lang } }: APIContext,
  owner: Actor,
  named: Named,
): Promise<Response> {
  const here = url.pathname + url.search;
  // a malformed form cannot be stored
  const form = request.method === 'POST' ? await formOf(request).catch(() => undefined) : undefined;
  const draft = form && (await saveFormFor(owner.contactId, here, form));
  const back = draft ? `/${config.base}/${lang}/kept-form?${new URLSearchParams({ ...named })}` : here;
  const target = `/${config.base}/${lang}/account-switch?r=${encodeURIComponent(back)}`;
  return redirect(303, target, draft && setCookie('kept', draft, 3600));
}

/** Checks access by the route table; denies by default. */
const guard = defineMiddleware(async (context, next) => {
  const { optionalSession: session, demo, lang, lockedOut, pathTo } = context.locals;
  const rule = PAGES[context.routePattern];
  const code = rule
    ? denialReason(rule, session, {
        method: context.request.method,
        isDemo: demo,
        forms: rule.formsForReadOnly && session ? await postedForms(context.request) : [],
      })
    : 'NOT_FOUND';
  const returnTo = encodeURIComponent(context.url.pathname + context.url.search);
  if (code === undefined) return next();
  if (code === 'NOT_FOUND') return context.rewrite('/404');
  if (code === 'EMULATION_READ_ONLY') return readOnly(context, next);
  if (code === 'UNAUTHENTICATED' && lockedOut)
    return redirect(303, `/${config.base}/${lang}/auth/firm-locked`);
  const back =
    code === 'UNAUTHENTICATED'
      ? await endExpiredImpersonation(readCookie(context.request.headers.get('cookie'), 'sid'))
      : undefined;
  if (back !== undefined) return endView(lang, back);
  if (code === 'UNAUTHENTICATED') return redirectToSignIn(context, returnTo);
  if (code === 'TERMS_REQUIRED')
    return redirect(303, `/${config.base}/${lang}/terms-and-conditions?r=${returnTo}`);
  const { part } = rule ?? {};
  if (part && session && canAccessPortal(session.actor) && !hasPart(session.actor.access, part))
    return redirect(303, pathTo(INSTEAD_OF[part]));
  const isForStaff = rule?.who === 'staff' || (session !== undefined && isReadOnly(session.actor));
  const because = !isForStaff ? undefined : session?.actor.staff ? 'right' : 'staff';
  return redirect(303, pathTo('not-authorized', { because }));
});

/** The ids of the forms that a page was posted with; none for anything else (`useForm` handles the last one). */
async function postedForms(request: Request): Promise<string[]> {
  if (request.method !== 'POST') return [];
  const posted = await formOf(request).catch(() => undefined); // a malformed form is none
  return posted?.getAll('form').map((form) => String(form).split(':', 1)[0] ?? '') ?? [];
}

/** Answers a write while viewing as a contact: explains that nothing was changed. */
async function readOnly(context: APIContext, next: MiddlewareNext): Promise<Response> {
  const page = new URL(`/${config.base}/${context.locals.lang}/staff/view-as/read-only`, context.url);
  const { body, headers } = await next(new Request(page, { headers: context.request.headers }));
  return new Response(body, { status: 403, headers });
}

/** Ends viewing when its time is up: the staff member's own session continues, with a message. */
function endView(lang: string, token: string): Response {
  const response = redirect(303, `/${config.base}/${lang}/staff`);
  response.headers.append('Set-Cookie', setCookie('sid', token));
  response.headers.append(
    'Set-Cookie',
    flashCookie({ type: 'info', namespace: 'staff', key: 'lookTimedOut' }),
  );
  return response;
}

/** Redirects to the sign-in and back. Form data posted after the session expired is stored until then. */
async function redirectToSignIn(
  { request, url, locals: { lang } }: APIContext,
  returnTo: string,
): Promise<Response> {
  // ui/form/enhance.ts submits the form natively then, and that request saves it
  if (request.headers.get('accept') === 'application/json') return new Response(null, { status: 401 });
  const sid = readCookie(request.headers.get('cookie'), 'sid');
  // a malformed form cannot be stored
  const form = request.method === 'POST' && sid ? await formOf(request).catch(() => undefined) : undefined;
  const draft = form && (await saveForm(sid, url.pathname + url.search, form));
  const response = redirect(
    303,
    `/${config.base}/${lang}/auth?r=${draft ? encodeURIComponent(`/${config.base}/${lang}/kept-form`) : returnTo}`,
  );
  if (draft) response.headers.append('Set-Cookie', setCookie('kept', draft, 3600));
  return response;
}

/**
 * Replaces a redirect to another site with a page that continues there, as sign-out does. After a form
 * submission browsers follow redirects within this site only (`form-action` in astro.config.mjs) and would
 * stay on the page without an error. Applies to every redirect, since a GET may be the end of a
 * chain that began with a form.
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

/** The firm named in the address, as in mailed links, or in that of the page to open after signing in. */
function firmNamedIn(url: URL): string | undefined {
  const returnTo = safeRedirect(url.searchParams.get('r'), config.origin, '');
  return (namedIn(url) ?? namedIn(new URL(returnTo, config.origin)))?.firm;
}

/** Sets the firm whose theme the page uses, and the flash message. */
const themeAndMessage = defineMiddleware(async (context, next) => {
  const cookies = context.request.headers.get('cookie');
  const { optionalSession: session } = context.locals;
  context.locals.lang ??= preferredLanguage(context.request.headers.get('accept-language') ?? undefined);
  context.locals.locale ??= LANGUAGES[context.locals.lang];
  const themeCookie = readCookie(cookies, 'theme');
  const named = session ? undefined : firmNamedIn(context.url);
  const firm = session ? await firmOf(session.actor.companyId) : await firmForVisitor(named, themeCookie);
  context.locals.firm = firm;
  context.locals.timeZone = context.locals.firm?.timeZone ?? 'UTC';
  const { reading, cookie: readingCookie } = await readingFor(session, cookies);
  context.locals.reading = reading;
  context.locals.flash = unpackFlash(readCookie(cookies, 'flash'));
  const response = await next();
  // The addresses of the next pages, such as that for a forgotten password, do not name the firm.
  if (firm && firm.companyId === named && themeCookie === undefined)
    response.headers.append('Set-Cookie', setCookie('theme', named, 31_536_000));
  if (readingCookie !== undefined && !setsCookie(response, 'reading'))
    response.headers.append('Set-Cookie', readingCookie);
  const policy = response.headers.get('content-security-policy');
  if (policy && config.mobileOrigins.length > 0)
    response.headers.set(
      'content-security-policy',
      policy.replace("frame-ancestors 'none'", `frame-ancestors ${config.mobileOrigins.join(' ')}`),
    );
  // Redirects keep the flash message for the page at their end.
  if (context.locals.flash && !isRedirect(response))
    response.headers.append('Set-Cookie', dropCookie('flash'));
  if (isPage(response)) response.headers.set('content-type', 'text/html; charset=utf-8');
  return response;
});

/**
 * Turns errors into responses: not found, not authorized, or a malformed form. Throws anything else.
 */
const refusals = defineMiddleware(async (context: APIContext, next: MiddlewareNext) => {
  try {
    return await next();
  } catch (error) {
    const expected = refusal(error);
    if (expected?.code === 'NOT_FOUND') return context.rewrite('/404');
    if (expected?.code === 'FORBIDDEN') return redirect(303, context.locals.pathTo('not-authorized'));
    if (expected?.code === 'INVALID')
      return new Response('This form cannot be read.\n', {
        status: expected.status,
        headers: { 'Content-Type': 'text/plain; charset=utf-8' },
      });
    if (expected?.code !== 'UNAVAILABLE' && expected?.code !== 'DAMAGED' && !isStorageUnavailable(error))
      log.error({ err: error, event: 'page.failed', route: context.routePattern });
    throw error;
  }
});

/**
 * Provides session, client and addresses to pages. The client is looked up on first use; if no address names it,
 * it becomes the person's selected client.
 */
const sessionAndClient = defineMiddleware(async (context: APIContext, next: MiddlewareNext) => {
  const { locals, url, request } = context;
  if (Object.hasOwn(locals, 'client')) return next(); // one page was rewritten to another
  const cookies = request.headers.get('cookie');
  const named = url.searchParams.get('client');
  const pinnedClient = locals.optionalSession && named ? named : undefined;
  let client: App.Locals['client'] | undefined;
  let openings: App.Locals['openings'] | undefined;
  Object.defineProperties(locals, {
    session: { get: () => signedIn(locals) },
    pinnedClient: { value: pinnedClient },
    pathTo: { value: addressBuilder(() => locals.lang, pinnedClient) },
    mayOpen: { value: (page: string) => mayOpen(locals, page) },
    client: {
      get: () => (client ??= clientOfPage(locals.session.actor, named, readCookie(cookies, 'client'))),
      set: (other: App.Locals['client']) => {
        client = other;
      },
    },
    openings: {
      get: () => (openings ??= newOpenings(locals.session.actor)),
      set: (others: App.Locals['openings']) => {
        openings = others;
      },
    },
  });
  const answer = await next();
  // The frame uses the client too, so the page must be complete first. A compressed one is.
  const isWhole = answer.headers.has('content-encoding') || request.method === 'HEAD';
  const response = isWhole ? answer : await withHtml(answer, (html) => html);
  const shown = named === null && isPage(response) ? await client : undefined;
  if (shown && shown.id !== readCookie(cookies, 'client'))
    response.headers.append('Set-Cookie', setCookie('client', shown.id, 31_536_000));
  return response;
});

/** Tells whether the session may open a page, by its path in `src/pages/[base]/[lang]`; false if there is none. */
function mayOpen({ optionalSession, demo }: App.Locals, page: string): boolean {
  const rule = PAGES[`/[base]/[lang]/${page}`];
  return rule !== undefined && !denialReason(rule, optionalSession, { method: 'GET', isDemo: demo });
}

function signedIn({ optionalSession }: App.Locals): Session {
  if (!optionalSession) throw new PortalError('UNAUTHENTICATED');
  return optionalSession;
}

/**
 * Compresses a complete page, once, even when one page was rewritten to another. The first page that a browser opens
 * has its styles and icons inline.
 */
const compressed = defineMiddleware(async (context: APIContext, next: MiddlewareNext) => {
  const { locals, request } = context;
  if (locals.isRewritten) return next();
  locals.isRewritten = true;
  const response = await next();
  return compressWhole(
    request,
    isFirstView(request) ? await inlineStyles(response, themeOf(locals)) : response,
  );
});

const themeOf = ({ firm }: App.Locals): ThemeSheet | undefined =>
  firm && { url: firm.theme.stylesheetUrl, ...inlineTheme(firm) };

/** Marks the controls that staff cannot use while viewing as a contact, also without scripts. */
const readOnlyControls = defineMiddleware(async (context: APIContext, next: MiddlewareNext) => {
  const response = await next();
  return context.locals.optionalSession?.viewing ? withHtml(response, markWrites) : response;
});

/** Explains words of the profession to those who want it, also without scripts. */
const plainWords = defineMiddleware(async (context: APIContext, next: MiddlewareNext) => {
  const response = await next();
  const { lang, reading } = context.locals;
  return reading?.hasPlainWords ? withHtml(response, (html) => explainWords(html, lang)) : response;
});

/** Says which pages the service worker may keep, and remembers who has the portal as an app. */
const copies = defineMiddleware(async (context: APIContext, next: MiddlewareNext) => {
  const { request, locals, routePattern } = context;
  const response = await next();
  const { optionalSession: session } = locals;
  if (!session) return response;
  const cookie = cookieOfApp(request, session);
  if (cookie !== undefined) response.headers.append('Set-Cookie', cookie);
  const isPlain = response.status === 200 && !locals.flash;
  if (PAGES[routePattern]?.isKept && isPlain && mayBeKept(request, session))
    response.headers.set(KEEP_HEADER, String(KEPT_FOR));
  return response;
});

/** Gives every form a key, by which it is carried out once. */
const formKeys = defineMiddleware(async (context: APIContext, next: MiddlewareNext) => {
  const { locals, request } = context;
  const isFirst = !locals.hasFormKey;
  locals.hasFormKey = true;
  const response =
    isFirst && request.method === 'POST'
      ? await postOnce(request, locals.optionalSession?.actor.contactId, next)
      : await next();
  return isFirst ? withHtml(response, addFormKeys) : response;
});

/** Transforms the HTML of a response; returns any other response unchanged. */
async function withHtml(response: Response, change: (html: string) => string): Promise<Response> {
  if (!isPage(response)) return response;
  const headers = new Headers(response.headers);
  headers.delete('content-length'); // the length has changed
  return new Response(change(await response.text()), { status: response.status, headers });
}

/**
 * Shows an error page when the database is unavailable, with Retry-After, or when nothing can be stored.
 * Throws every other error.
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
      ...(status === 503 && !isOutcomeUnknown(error) && { 'Retry-After': '1' }),
    };
    return new Response(errorPage(context.locals.lang ?? DEFAULT_LANG, error), { status, headers });
  }
});

const setsCookie = ({ headers }: Response, name: CookieName): boolean =>
  headers.getSetCookie().some((cookie) => cookie.startsWith(`${fullName(name)}=`));

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
  filesOfForms,
  tokenToCookie,
  canonicalAddress,
  leaving,
  copies,
  accountGuard,
  readOnlyControls,
  plainWords,
  guard,
  formKeys,
  themeAndMessage,
  refusals,
);
