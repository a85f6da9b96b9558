import { safeRedirect } from '#platform/safe-redirect.ts';
import { showAlert, STANDARD_TIMEOUT } from '../alerts.ts';
import type { NativeChannel } from './channel.ts';
import { asked, told, type Asked, type Told } from './protocol.ts';

interface Bridge {
  channel: NativeChannel;
  /** The address of the portal's home in the language of the page. */
  home: string;
  /** Origins of app shells that hold the page in a frame (MOBILE_ORIGINS). */
  origins: readonly string[];
}

/**
 * Other parts of the page tell the app what happened by this event of the document; its `detail` is `{ event,
 * payload }`.
 */
const TELL = 'portal:mobile';

/**
 * Listens to the app (threat-model.md T72). A message counts only when it comes from the page itself, where
 * the app's own code speaks, or from the shell around it on an origin that the owner named, and knows the
 * nonce that the app alone was told.
 */
export function startBridge({ channel, home, origins }: Bridge): void {
  const nonce = crypto.randomUUID();
  const tell = (message: Told, extra: object = {}): void =>
    channel.postMessage(JSON.stringify({ ...message, ...extra }));

  addEventListener('message', (event: MessageEvent<unknown>) => {
    const isOwn = event.source === window && event.origin === location.origin;
    const isShell =
      event.source === window.parent && window.parent !== window && origins.includes(event.origin);
    const message = isOwn || isShell ? asked(event.data, nonce) : undefined;
    if (message) void obey(message, home, tell);
  });
  document.addEventListener(TELL, (event) => {
    const message = event instanceof CustomEvent ? told(event.detail) : undefined;
    if (message) tell(message);
  });
  document.addEventListener('submit', (event) => {
    if (
      event.target instanceof HTMLFormElement &&
      new URL(event.target.action).pathname === `${home}auth/logout`
    )
      tell({ event: 'Logout', payload: {} });
  });
  tell({ event: 'InitMobileSuccess', payload: {} }, { nonce });
  if (location.pathname.startsWith(`${home}terms-and-conditions`))
    tell({ event: 'TermsAndConditionsRequired', payload: {} });
}

async function obey({ event, payload }: Asked, home: string, tell: (message: Told) => void): Promise<void> {
  if (event === 'Ping') return tell({ event: 'PingSuccess', payload: {} });
  if (event === 'SetAlert')
    return showAlert({
      type: payload.type,
      msg: payload.msg,
      ...(payload.type !== 'danger' && { timeout: STANDARD_TIMEOUT }),
    });
  if (event === 'Logout') return signOut(home);
  if (event === 'NavigateToTask') return location.assign(within(home, `tasks/${payload.taskId}`));
  const address = within(home, `mobile/actions/${payload.section}/${payload.action}`);
  const isThere =
    // away or refused is alike: the app is told
    (await fetch(address, { method: 'HEAD', redirect: 'manual' }).catch(() => undefined))?.ok ?? false;
  tell({ event: isThere ? 'NavigateToActionSuccess' : 'NavigateToActionFail', payload });
  if (isThere) location.assign(address);
}

const within = (home: string, place: string): string => safeRedirect(home + place, location.origin, home);

function signOut(home: string): void {
  const form = document.createElement('form');
  form.method = 'post';
  form.action = `${home}auth/logout`;
  document.body.append(form);
  form.requestSubmit();
}
