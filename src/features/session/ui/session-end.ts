/*
 * The end of an idle session, in every tab at once: the moment stands in local storage. Two minutes before it the server is asked when
 * it really comes; then the dialog counts the seconds. What was typed stays in this tab for whoever typed it, and is put back on the
 * same page: no passwords, no files.
 */

const WARN = 120;
const ENDS = 'ccSessionEnds';
const dialog = document.getElementById('session-end');
const data = dialog?.querySelector<HTMLElement>('[data-seconds]')?.dataset ?? {};
const kept = `ccTyped ${location.pathname}`;

type Typed = HTMLInputElement | HTMLTextAreaElement;
const typed = (): Typed[] => [...document.querySelectorAll<Typed>('main form :is(textarea, input:not([type=password], [type=file], [type=hidden], [type=checkbox], [type=radio]))[name]')];

function restore(): void {
  const { who, values } = JSON.parse(sessionStorage.getItem(kept) ?? '{}') as { who?: string; values?: [string, string][] };
  sessionStorage.removeItem(kept);
  if (who !== data['who']) return;
  for (const [name, value] of values ?? []) {
    const field = typed().find((each) => each.name === name);
    if (field) field.value = value;
  }
}

const setLeft = (seconds: number): void => localStorage.setItem(ENDS, String(Date.now() + seconds * 1000));

function leave(withText: boolean): void {
  clearInterval(ticking);
  const values = typed().filter((field) => field.value !== field.defaultValue).map(({ name, value }) => [name, value]);
  if (withText && values.length > 0) sessionStorage.setItem(kept, JSON.stringify({ who: data['who'], values }));
  location.assign(`${data['signIn']}?r=${encodeURIComponent(location.pathname + location.search)}`);
}

/** Seconds left by the server's own clock; 0 when the session is over, undefined when it cannot be asked. */
async function ask(method: 'GET' | 'POST'): Promise<number | undefined> {
  const address = '/api/security/v1/session';
  const answer = await (method === 'GET' ? fetch(address, { headers: { 'X-Background': '1' } }) : fetch(`${address}/extend`, { method })).catch(() => undefined);
  if (!answer || answer.status >= 500) return undefined;
  if (!answer.ok) return 0;
  const told = (await answer.json()) as { secondsLeft: number; meta: { SessionExpiresDateTime: string } };
  return method === 'POST' ? told.secondsLeft : Math.floor((Date.parse(told.meta.SessionExpiresDateTime) - Date.parse(answer.headers.get('Date') ?? '')) / 1000);
}

let isAsking = false;
let dismissed = false;

async function tick(): Promise<void> {
  const ends = localStorage.getItem(ENDS);
  if (ends === null) return leave(false); // signed out in another tab
  const left = Math.ceil((Number(ends) - Date.now()) / 1000);
  if (!(dialog instanceof HTMLDialogElement) || isAsking) return;
  if (left > WARN) {
    dismissed = false;
    if (dialog.open) dialog.close();
  } else if (left <= 0 || (!dialog.open && !dismissed)) {
    isAsking = true;
    const real = await ask('GET');
    isAsking = false;
    if (real !== undefined) setLeft(real);
    if (real === 0 || (real === undefined && left <= 0)) leave(true);
    else if ((real ?? left) <= WARN) dialog.showModal();
  }
  if (dialog.open) tell(left);
}

const inWords = new Intl.NumberFormat(document.documentElement.lang, { style: 'unit', unit: 'second', unitDisplay: 'long' });

function tell(left: number): void {
  const text = inWords.format(Math.max(0, left));
  const place = dialog?.querySelector('[data-left]');
  if (place) place.textContent = text;
  const status = document.getElementById('status');
  if (status && [60, 30, 10].includes(left)) status.textContent = text;
}

async function stay(button: HTMLElement): Promise<void> {
  const left = await ask('POST');
  if (left === 0) return leave(true);
  if (left === undefined) return;
  setLeft(left);
  button.hidden = left <= WARN;
  dialog?.querySelector('[data-for-good]')?.toggleAttribute('hidden', left > WARN);
  await tick();
}

restore();
setLeft(Number(data['seconds']));
const ticking = setInterval(() => void tick(), 1000);
dialog?.addEventListener('close', () => (dismissed = true));
dialog?.querySelector<HTMLElement>('[data-stay]')?.addEventListener('click', ({ currentTarget }) => void stay(currentTarget as HTMLElement));
