import {
  changesPerson,
  COPY_HEADERS,
  copyOf,
  isLook,
  isPage,
  looksOf,
  MAX_COPIES,
  shownCopy,
  shownOfflinePage,
  titleOf,
  type Saved,
} from './copies.ts';
import { KEEP_HEADER, SESSION_HEADER } from './offline.ts';

/*
 * The service worker (docs/decisions/0136). Pages always come from the portal; a copy is shown only where there is no answer
 * at all. Each answer says whose page it is: as soon as that is somebody else, or nobody, all copies are deleted, before the
 * page is shown. Writes, calls, files and streams are not touched.
 */

interface WorkerEvent extends Event {
  waitUntil: (work: Promise<unknown>) => void;
}

interface PushEvent extends WorkerEvent {
  data: { json: () => unknown } | null;
}

interface NotificationEvent extends WorkerEvent {
  notification: Notification;
}

interface SubscriptionEvent extends WorkerEvent {
  oldSubscription?: PushSubscription | null;
  newSubscription?: PushSubscription | null;
}

interface FetchEvent extends WorkerEvent {
  request: Request;
  preloadResponse: Promise<Response | undefined>;
  respondWith: (answer: Promise<Response>) => void;
}

interface WindowClient {
  url: string;
  focus: () => Promise<WindowClient>;
  navigate: (url: string) => Promise<unknown>;
}

/** What a service worker has; the types of the project are those of pages. */
interface WorkerScope {
  addEventListener: <E extends WorkerEvent>(name: string, listener: (event: E) => void) => void;
  clients: {
    claim: () => Promise<void>;
    matchAll: (options: { includeUncontrolled: boolean; type?: 'window' }) => Promise<WindowClient[]>;
    openWindow: (url: string) => Promise<unknown>;
  };
  registration: ServiceWorkerRegistration;
  skipWaiting: () => Promise<void>;
  /** As the portal sends it before the script: the address of all pages, and what is another one in each release. */
  PORTAL: { base: string; release: string };
}

const worker = globalThis as unknown as WorkerScope;
const { base, release } = worker.PORTAL;
const SHELL = `shell-${release}`;
const PAGES = 'pages-';
const SAVED = 'X-Saved-At';
const UNTIL = 'X-Keep-Until';

worker.addEventListener('install', (event) => event.waitUntil(worker.skipWaiting()));
worker.addEventListener('activate', (event) => event.waitUntil(activate()));

worker.addEventListener<FetchEvent>('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (origin !== location.origin) return;
  if (changesPerson(request.method, pathname)) event.waitUntil(deletePages());
  if (request.method !== 'GET') return;
  if (request.mode === 'navigate') {
    if (isPage(pathname, base)) event.respondWith(navigate(event));
  } else if (isLook(pathname)) event.respondWith(fetch(request).catch(() => storedLook(request)));
});

worker.addEventListener<PushEvent>('push', (event) => event.waitUntil(show(event.data?.json())));
worker.addEventListener<NotificationEvent>('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(open(String((event.notification.data as { url?: unknown }).url)));
});
worker.addEventListener<SubscriptionEvent>('pushsubscriptionchange', (event) =>
  event.waitUntil(subscribeAgain(event)),
);

/** Shows what the portal sent (push/sending.server.ts). */
async function show(message: unknown): Promise<void> {
  const { t, b, u, g } = message as Record<'t' | 'b' | 'u' | 'g', string>;
  await worker.registration.showNotification(t, { body: b, tag: g, data: { url: u } });
}

/** Opens a page of the portal, in a window that is open already if there is one; the page asks who may see it. */
async function open(address: string): Promise<void> {
  const { origin, pathname, href } = new URL(address, location.origin);
  if (origin !== location.origin || !pathname.startsWith(base)) return;
  const [window] = await worker.clients.matchAll({ includeUncontrolled: false, type: 'window' });
  if (!window) return void (await worker.clients.openWindow(href));
  await window.focus().catch(() => undefined); // the system did not let it come to the front
  await window.navigate(href);
}

/** Tells the portal the new address of this browser when its push service has replaced the old one. */
async function subscribeAgain({ oldSubscription: old, newSubscription }: SubscriptionEvent): Promise<void> {
  if (!old) return; // the next visit subscribes it anew, if its person asks for it
  const key = old.options.applicationServerKey;
  const subscription =
    newSubscription ??
    (await worker.registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key }));
  const { endpoint, keys } = subscription.toJSON();
  await fetch('/api/notifications/v1/push-subscriptions', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Background': '1' },
    body: JSON.stringify({ endpoint, keys, isRenewal: true, replaces: old.endpoint }),
  });
}

/** Takes over: what was kept of the pages of a person stays, what belongs to another release goes. */
async function activate(): Promise<void> {
  for (const name of await caches.keys())
    if (name !== SHELL && !name.startsWith(PAGES)) await caches.delete(name);
  try {
    await worker.registration.navigationPreload.enable();
  } catch {
    // a browser without it keeps nothing, since the portal does not know that it has a worker
  }
  await worker.clients.claim();
  for (const { url } of await worker.clients.matchAll({ includeUncontrolled: true }))
    await loadOfflinePage(url).catch(() => undefined); // the next page tries again
}

async function navigate(event: FetchEvent): Promise<Response> {
  const { url } = event.request;
  let answer: Response;
  try {
    answer = (await event.preloadResponse) ?? (await fetch(event.request));
  } catch {
    return withoutConnection(url);
  }
  // of a redirect, the page is judged at which it ends
  if (answer.type === 'opaqueredirect') return answer;
  await deletePages(keyOf(answer));
  event.waitUntil(keep(url, answer.clone()).catch(() => undefined)); // no room
  return answer;
}

/** Whose page an answer is; nobody’s after a sign-out, or where the portal does not say so. */
function keyOf({ headers, status }: Response): string | null {
  return status === 401 || headers.has('Clear-Site-Data') ? null : headers.get(SESSION_HEADER);
}

/** Another number after each deletion: what was still being saved then is not. */
let deletions = 0;
/** Whose page was the last one. */
let lastKey: string | null = null;

/** Deletes all copies but those of this key. */
async function deletePages(key: string | null = null): Promise<void> {
  const others = (await caches.keys()).filter(
    (name) => name.startsWith(PAGES) && (key === null || name !== PAGES + key),
  );
  if (key === null || key !== lastKey) deletions += 1;
  lastKey = key;
  for (const name of others) await caches.delete(name);
}

/** Keeps a page, if the portal allows it. */
async function keep(url: string, answer: Response): Promise<void> {
  const began = deletions;
  await loadOfflinePage(url);
  const key = keyOf(answer);
  const seconds = Number(answer.headers.get(KEEP_HEADER));
  if (key === null || !(seconds > 0) || answer.status !== 200 || answer.redirected) return;
  const html = copyOf(await answer.text());
  if (html === undefined) return;
  const looks = await Promise.all(looksOf(html).map(async (path) => [path, await fetch(path)] as const));
  if (began !== deletions) return;
  const cache = await caches.open(PAGES + key);
  const at = Date.now();
  await cache.put(
    url,
    new Response(html, {
      headers: { ...COPY_HEADERS, [SAVED]: String(at), [UNTIL]: String(at + seconds * 1000) },
    }),
  );
  for (const [path, look] of looks) if (look.ok) await cache.put(path, look);
  await trim(cache);
  if (began !== deletions) await caches.delete(PAGES + key);
}

async function trim(cache: Cache): Promise<void> {
  const saved = (await savedIn(cache)).toSorted((a, b) => b.at - a.at);
  for (const { href } of saved.slice(MAX_COPIES)) await cache.delete(href);
}

/** When a copy was saved; undefined for another file, and for one whose time is over or that was saved in the future. */
function savedAt({ headers }: Response): number | undefined {
  const at = Number(headers.get(SAVED));
  const instant = Date.now();
  return at > 0 && at <= instant && instant < Number(headers.get(UNTIL)) ? at : undefined;
}

async function savedIn(cache: Cache): Promise<Saved[]> {
  const found: Saved[] = [];
  for (const request of await cache.keys()) {
    const copy = await cache.match(request);
    const at = copy && savedAt(copy);
    if (copy && at !== undefined) found.push({ href: request.url, title: titleOf(await copy.text()), at });
    else if (copy?.headers.has(SAVED)) await cache.delete(request);
  }
  return found;
}

/** The only pages that are kept: those of whom the last answer was for. */
async function openPages(): Promise<Cache | undefined> {
  const name = (await caches.keys()).find((known) => known.startsWith(PAGES));
  return name === undefined ? undefined : caches.open(name);
}

async function storedLook(request: Request): Promise<Response> {
  return (await (await openPages())?.match(request)) ?? Response.error();
}

/** The address of the page for those without a connection, in the language of an address. */
function offlineAddress(url: string): string | undefined {
  const [lang] = new URL(url).pathname.slice(base.length).split('/');
  return lang === undefined || lang === '' ? undefined : `${base}${lang}/offline`;
}

/** Has it in the cache from now on. It is that of a visitor: nothing in it is about a person. */
async function loadOfflinePage(url: string): Promise<void> {
  const address = offlineAddress(url);
  if (address === undefined) return;
  const shell = await caches.open(SHELL);
  if (await shell.match(address)) return;
  const answer = await fetch(address, { credentials: 'omit' });
  const html = answer.ok && !answer.redirected ? copyOf(await answer.text()) : undefined;
  if (html !== undefined) await shell.put(address, new Response(html, { headers: COPY_HEADERS }));
}

/** The copy of a page, else the page that says what can be read. */
async function withoutConnection(url: string): Promise<Response> {
  const shell = await caches.open(SHELL);
  const [any] = await shell.keys();
  const words = (await shell.match(offlineAddress(url) ?? '')) ?? (any && (await shell.match(any)));
  if (!words) return Response.error();
  const offlinePage = await words.text();
  const pages = await openPages();
  const copy = await pages?.match(url);
  const at = copy && savedAt(copy);
  const html =
    copy && at !== undefined
      ? shownCopy(await copy.text(), at, offlinePage)
      : shownOfflinePage(offlinePage, pages ? await savedIn(pages) : []);
  return new Response(html, { headers: COPY_HEADERS });
}
