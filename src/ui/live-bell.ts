import { followCounts, type Counts } from './live-counts.ts';
import { registerWorker, renewPush } from './service-worker.ts';

/*
 * Keeps the bell of an open page current, and the counts beside the areas: as soon as the portal says that they have
 * changed, where it says nothing each minute and when the page is looked at again, and when the bell is opened. Loaded by
 * load-bell.ts, and so a good moment for what else a page needs later. It does not extend the session.
 */

const EVERY = 60_000;
/** A page that is looked at again so soon has current counts. */
const RECENT = 10_000;
/** When much happens at once, it is asked for so often. */
const AT_MOST_EVERY = 2000;

/** Keeps the page current from now on. */
export function watchBell(bell: HTMLDetailsElement): void {
  const title = document.title;
  const unreadAtFirst = Number(bell.dataset['unread']);
  let askedAt = performance.timeOrigin;
  let known: Partial<Counts> = { unread: unreadAtFirst };
  let isLive = (): boolean => false;
  let hasNews = false;
  let waiting: ReturnType<typeof setTimeout> | undefined;
  const refresh = (): void => {
    clearTimeout(waiting);
    waiting = undefined;
    if (document.hidden) return void (askedAt = 0); // asks once it is looked at
    askedAt = Date.now();
    void show(bell);
  };
  const refreshIfOld = (): void => {
    if (Date.now() - askedAt > RECENT) refresh();
  };
  const hear = ({ unread, v }: Counts): void => {
    if (v === known.v) return;
    const isFirst = known.v === undefined;
    const isSame = isFirst && unread === known.unread;
    known = { unread, v };
    hasNews ||= unread > unreadAtFirst;
    document.title = hasNews && unread > 0 ? `(${unread < 100 ? unread : '99+'}) ${title}` : title;
    if (!isSame) waiting ??= setTimeout(refresh, Math.max(0, askedAt + AT_MOST_EVERY - Date.now()));
  };
  bell.addEventListener('toggle', () => bell.open && refresh());
  document.addEventListener('visibilitychange', () => {
    if (!isLive() || askedAt === 0) refreshIfOld();
  });
  setInterval(() => !isLive() && refreshIfOld(), EVERY);
  if (bell.open) refresh();
  const { live } = bell.dataset; // not while viewing as somebody
  if (live !== undefined && !isSavingData()) {
    isLive = followCounts(live, hear);
    // where there is to be none, another registration would keep the one that removes itself
    if (bell.dataset['noWorker'] === undefined)
      void registerWorker().then((registration) => registration && renewPush(registration, live));
  }
}

/** On a slow or expensive connection it is not worth a stream. */
function isSavingData(): boolean {
  const { connection } = navigator as { connection?: { saveData?: boolean; effectiveType?: string } };
  return connection?.saveData === true || /2g$/.test(connection?.effectiveType ?? '');
}

async function show(bell: HTMLDetailsElement): Promise<void> {
  const answer = await fetch(bell.dataset['address'] ?? '', { headers: { 'X-Background': '1' } }).catch(
    () => undefined,
  );
  if (!answer?.ok || answer.redirected) return; // without a connection or a session it stays as it is
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html');
  for (const part of document.querySelectorAll<HTMLElement>('[data-bell]')) {
    const news = fresh.querySelector(`[data-bell="${part.dataset['bell'] ?? ''}"]`);
    // a link that has the focus would lose it
    if (news && news.innerHTML !== part.innerHTML && !part.contains(document.activeElement))
      part.replaceChildren(...news.childNodes);
  }
}
