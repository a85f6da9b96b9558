/*
 * The end of an idle session, in every tab at once: its time is in local storage. The warning is loaded and
 * shown two minutes before. What is typed into forms with `data-keep` stays in this tab (typed-forms.ts).
 */

const ENDS = 'ccSessionEnds';
const WARN = 120;
const dialog = document.getElementById('session-end');
const data = dialog?.querySelector<HTMLElement>('[data-seconds]')?.dataset ?? {};
const TYPED = 'ccTyped';

const setLeft = (seconds: number): void => localStorage.setItem(ENDS, String(Date.now() + seconds * 1000));
const restartTime = (): void => setLeft(Number(data['seconds']));

function leave(withText: boolean): void {
  // files are selected
  if (withText && !document.dispatchEvent(new Event('portal:session-over', { cancelable: true }))) return;
  clearInterval(ticking);
  location.assign(`${data['signIn']}?r=${encodeURIComponent(location.pathname + location.search)}`);
}

let warning: Promise<(left: number) => void> | undefined;

function tick(): void {
  if (document.documentElement.dataset['over']) return;
  const ends = localStorage.getItem(ENDS);
  if (ends === null) return leave(false); // signed out in another tab
  const left = Math.ceil((Number(ends) - Date.now()) / 1000);
  if (!(dialog instanceof HTMLDialogElement) || (!warning && left > WARN)) return;
  warning ??= import('./session-warning.ts').then(({ startWarning }) =>
    startWarning({ dialog, warnAt: WARN, setLeft, leave }),
  );
  warning.then(
    (tell) => tell(left),
    () => {
      warning = undefined; // no network: asks again with the next second
      if (left <= 0) leave(true);
    },
  );
}

/** Resolves when every script of the page listens: they are notified of restored values as of typed ones. */
const complete = new Promise<unknown>((resolve) => {
  if (document.readyState === 'complete') resolve(undefined);
  else document.addEventListener('DOMContentLoaded', resolve, { once: true });
});
const wasPosted = data['posted'] === 'true';
let typedForms: Promise<unknown> | undefined;

/** Loads the script for typed values: when there are some, or a form is touched. */
function loadTypedForms(): void {
  typedForms ??= Promise.all([import('./typed-forms.ts'), complete])
    .then(([{ keepTypedValues }]) => keepTypedValues({ key: TYPED, who: data['who'], wasPosted }))
    .catch(() => (typedForms = undefined)); // no network: again with the next touch
}

if (sessionStorage.getItem(TYPED) !== null || wasPosted) loadTypedForms();
for (const touch of ['focusin', 'input', 'change'])
  document.addEventListener(touch, ({ target }) => {
    if (target instanceof Element && target.closest('form[data-keep]')) loadTypedForms();
  });
restartTime();
const ticking = setInterval(tick, 1000);
// The sign-in page removed the time, and the page after it may have been closed before its scripts set it again.
document.addEventListener('portal:session-resumed', restartTime);
// On the way to the signed-out page, whose response clears the storage while this page is still shown.
document.addEventListener('submit', ({ target }) => {
  if (target instanceof HTMLFormElement && target.getAttribute('action')?.endsWith('/auth/logout'))
    clearInterval(ticking);
});
