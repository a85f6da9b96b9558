/** The page itself has current counts. */
const WAIT = 3000;

/** Loads what keeps the bell current: a while after the page, so that it delays nothing, or when the bell is opened. */
export function loadBell(): void {
  const bell = document.getElementById('bell');
  if (!(bell instanceof HTMLDetailsElement)) return;
  let loading: Promise<void> | undefined;
  const load = (): void =>
    void (loading ??= import('./live-bell.ts').then(
      ({ watchBell }) => watchBell(bell),
      () => undefined, // offline: the bell stays as it came
    ));
  bell.addEventListener('toggle', load, { once: true });
  addEventListener('load', () => setTimeout(load, WAIT), { once: true });
}
