/*
 * The warning before an idle session ends. The server is asked for the actual end; then the dialog counts the
 * seconds, and one key extends the session.
 */

interface Ending {
  dialog: HTMLDialogElement;
  /** Seconds before the end at which the warning is shown. */
  warnAt: number;
  setLeft: (seconds: number) => void;
  leave: (withText: boolean) => void;
}

/**
 * Returns the seconds left by the server's clock; 0 if the session has ended, undefined if the server cannot
 * be reached.
 */
async function ask(method: 'GET' | 'POST'): Promise<number | undefined> {
  const address = '/api/security/v1/session';
  const answer = await import('#platform/http/http.ts')
    .then(({ plainHttp }) =>
      method === 'GET'
        ? plainHttp.get(address, { headers: { 'X-Background': '1' } })
        : plainHttp.post(`${address}/extend`),
    )
    .catch(() => undefined);
  if (!answer || answer.status >= 500) return undefined;
  if (!answer.ok) return 0;
  const session = (await answer.json()) as { secondsLeft: number; meta: { SessionExpiresDateTime: string } };
  return method === 'POST'
    ? session.secondsLeft
    : Math.floor(
        (Date.parse(session.meta.SessionExpiresDateTime) - Date.parse(answer.headers.get('Date') ?? '')) /
          1000,
      );
}

/** Called each second with the seconds left. */
export function startWarning({ dialog, warnAt, setLeft, leave }: Ending): (left: number) => void {
  const inWords = new Intl.NumberFormat(document.documentElement.lang, {
    style: 'unit',
    unit: 'second',
    unitDisplay: 'long',
  });
  const stayButton = dialog.querySelector<HTMLElement>('[data-stay]');
  let isAsking = false;
  let dismissed = false;

  function tell(left: number): void {
    const text = inWords.format(Math.max(0, left));
    const place = dialog.querySelector('[data-left]');
    if (place) place.textContent = text;
    const status = document.getElementById('status');
    if (status && [60, 30, 10].includes(left)) status.textContent = text;
  }

  async function tick(left: number): Promise<void> {
    if (isAsking) return;
    if (left > warnAt) {
      dismissed = false;
      if (dialog.open) dialog.close();
    } else if (left <= 0 || (!dialog.open && !dismissed)) {
      isAsking = true;
      const real = await ask('GET');
      isAsking = false;
      if (real !== undefined) setLeft(real);
      if (real === 0 || (real === undefined && left <= 0)) leave(true);
      else if ((real ?? left) <= warnAt) {
        dialog.showModal();
        stayButton?.focus();
      }
    }
    if (dialog.open) tell(left);
  }

  async function stay(button: HTMLElement): Promise<void> {
    const left = await ask('POST');
    if (left === 0) return leave(true);
    if (left === undefined) return;
    setLeft(left);
    button.hidden = left <= warnAt;
    dialog.querySelector('[data-for-good]')?.toggleAttribute('hidden', left > warnAt);
    await tick(left);
  }

  dialog.addEventListener('close', () => (dismissed = true));
  stayButton?.addEventListener('click', () => void stay(stayButton));
  return (left) => void tick(left);
}
