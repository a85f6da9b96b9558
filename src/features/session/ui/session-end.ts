/*
 * The end of an idle session, in every tab at once: the moment stands in local storage. The warning comes two minutes before it, and is
 * loaded then. What was typed stays in this tab for whoever typed it, and is put back on the same page: no passwords, no files.
 */

const ENDS = 'ccSessionEnds';
const WARN = 120;
const dialog = document.getElementById('session-end');
const data = dialog?.querySelector<HTMLElement>('[data-seconds]')?.dataset ?? {};
const TYPED = 'ccTyped';

type Typed = HTMLInputElement | HTMLTextAreaElement;
const typed = (): Typed[] => [...document.querySelectorAll<Typed>('main form :is(textarea, input:not([type=password], [type=file], [type=hidden], [type=checkbox], [type=radio]))[name]')];

function restore(): void {
  const { who, page, values } = JSON.parse(sessionStorage.getItem(TYPED) ?? '{}') as { who?: string; page?: string; values?: [string, string][] };
  if (who !== data['who'] || page === location.pathname) sessionStorage.removeItem(TYPED);
  if (who !== data['who'] || page !== location.pathname) return;
  for (const [name, value] of values ?? []) {
    const field = typed().find((each) => each.name === name);
    if (field) field.value = value;
  }
}

const setLeft = (seconds: number): void => localStorage.setItem(ENDS, String(Date.now() + seconds * 1000));

function leave(withText: boolean): void {
  clearInterval(ticking);
  const values = typed().filter((field) => field.value !== field.defaultValue).map(({ name, value }) => [name, value]);
  if (withText && values.length > 0) sessionStorage.setItem(TYPED, JSON.stringify({ who: data['who'], page: location.pathname, values }));
  location.assign(`${data['signIn']}?r=${encodeURIComponent(location.pathname + location.search)}`);
}

let warning: Promise<(left: number) => void> | undefined;

function tick(): void {
  const ends = localStorage.getItem(ENDS);
  if (ends === null) return leave(false); // signed out in another tab
  const left = Math.ceil((Number(ends) - Date.now()) / 1000);
  if (!(dialog instanceof HTMLDialogElement) || (!warning && left > WARN)) return;
  warning ??= import('./session-warning.ts').then(({ startWarning }) => startWarning({ dialog, warnAt: WARN, setLeft, leave }));
  warning.then(
    (tell) => tell(left),
    () => {
      warning = undefined; // the network is away: asked for again with the next second
      if (left <= 0) leave(true);
    },
  );
}

restore();
setLeft(Number(data['seconds']));
const ticking = setInterval(tick, 1000);
// Whoever signs out here is on the way to the page that says so; its answer empties the storage while this page still stands.
document.addEventListener('submit', ({ target }) => {
  if (target instanceof HTMLFormElement && target.getAttribute('action')?.endsWith('/auth/logout')) clearInterval(ticking);
});
