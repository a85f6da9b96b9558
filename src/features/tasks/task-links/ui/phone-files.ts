/* While the QR code is shown, the list of what has arrived is loaded again every three seconds. */

const EVERY = 3000;
const FILES = '[data-phone-files] [role=status]';

async function refresh(address: string): Promise<void> {
  const answer = await fetch(address).catch(() => undefined);
  if (!answer?.ok || answer.redirected) return; // offline, or signed out: the next try or click tells
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const [shown, fresh] = [document.querySelector(FILES), page.querySelector(FILES)];
  if (!shown) return;
  if (!fresh) return location.reload(); // the code has expired
  if (shown.innerHTML !== fresh.innerHTML) shown.replaceChildren(...fresh.childNodes);
}

const address = document.querySelector<HTMLElement>('[data-phone-files]')?.dataset['phoneFiles'];
if (address !== undefined)
  setInterval(() => {
    if (document.visibilityState === 'visible') void refresh(address);
  }, EVERY);
