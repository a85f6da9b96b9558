/*
 * Keeps the bell of an open page current: its count each minute and when the page is looked at again, and what is unread
 * when the bell is opened. Loaded by alert-region.ts. It does not extend the session.
 */

const EVERY = 60_000;
/** A page that is looked at again so soon has current counts. */
const RECENT = 10_000;

/** Asks for the contents of the bell now, and then as long as the page is open. */
export function watchBell(bell: HTMLDetailsElement): void {
  let askedAt = 0;
  const refresh = (): void => {
    if (document.hidden) return;
    askedAt = Date.now();
    void show(bell);
  };
  const refreshIfOld = (): void => {
    if (Date.now() - askedAt > RECENT) refresh();
  };
  bell.addEventListener('toggle', () => bell.open && refresh());
  document.addEventListener('visibilitychange', refreshIfOld);
  setInterval(refreshIfOld, EVERY);
  refresh();
}

async function show(bell: HTMLDetailsElement): Promise<void> {
  const answer = await fetch(bell.dataset['address'] ?? '', { headers: { 'X-Background': '1' } }).catch(
    () => undefined,
  );
  if (!answer?.ok || answer.redirected) return; // without a connection or a session it stays as it is
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html');
  for (const part of bell.querySelectorAll<HTMLElement>('[data-bell]')) {
    const news = fresh.querySelector(`[data-bell=${part.dataset['bell'] ?? ''}]`);
    // a link that has the focus would lose it
    if (news && news.innerHTML !== part.innerHTML && !part.contains(document.activeElement))
      part.replaceChildren(...news.childNodes);
  }
}
