import { safeRedirect } from '#platform/safe-redirect.ts';
import { showAlert, STANDARD_TIMEOUT } from '../alerts.ts';
import type { NativeChannel } from './channel.ts';
import { parseAppMessage, parsePageMessage, type AppMessage, type PageMessage } from './protocol.ts';

interface Bridge {
  channel: NativeChannel;
  /** The address of the portal's home in the language of the page. */
  home: string;
  /** Origins of app shells that may frame the page (MOBILE_ORIGINS). */
  origins: readonly string[];
}

/**
 * The document event by which other code of the page sends messages to the app; its `detail` is `{ event,
 * payload }`.
 */
const MESSAGE_EVENT = 'portal:mobile';

/**
 * Handles messages from the app (threat-model.md T72). A message is accepted only from the page itself, where
 * the app's injected code runs, or from a configured shell origin around it, and only with the nonce sent to
 * the app.
 */
export function startBridge({ channel, home, origins }: Bridge): void {
  const nonce = crypto.randomUUID();
  const send = (message: PageMessage, extra: object = {}): void =>
    channel.postMessage(JSON.stringify({ ...message, ...extra }));

  addEventListener('message', (event: MessageEvent<unknown>) => {
    const isOwn = event.source === window && event.origin === location.origin;
    const isShell =
      event.source === window.parent && window.parent !== window && origins.includes(event.origin);
    const message = isOwn || isShell ? parseAppMessage(event.data, nonce) : undefined;
    if (message) void handle(message, home, send);
  });
  document.addEventListener(MESSAGE_EVENT, (event) => {
    const message = event instanceof CustomEvent ? parsePageMessage(event.detail) : undefined;
    if (message) send(message);
  });
  document.addEventListener('submit', (event) => {
    if (
      event.target instanceof HTMLFormElement &&
      new URL(event.target.action).pathname === `${home}auth/logout`
    )
      send({ event: 'Logout', payload: {} });
  });
  send({ event: 'InitMobileSuccess', payload: {} }, { nonce });
  if (location.pathname.startsWith(`${home}terms-and-conditions`))
    send({ event: 'TermsAndConditionsRequired', payload: {} });
}

async function handle(
  { event, payload }: AppMessage,
  home: string,
  send: (message: PageMessage) => void,
): Promise<void> {
  if (event === 'Ping') return send({ event: 'PingSuccess', payload: {} });
  if (event === 'SetAlert')
    return showAlert({
      type: payload.type,
      msg: payload.msg,
      ...(payload.type !== 'danger' && { timeout: STANDARD_TIMEOUT }),
    });
  if (event === 'Logout') return signOut(home);
  if (event === 'NavigateToTask') return location.assign(addressIn(home, `tasks/${payload.taskId}`));
  const address = addressIn(home, `mobile/actions/${payload.section}/${payload.action}`);
  const isThere =
    // unreachable and refused are the same for the app
    (await fetch(address, { method: 'HEAD', redirect: 'manual' }).catch(() => undefined))?.ok ?? false;
  send({ event: isThere ? 'NavigateToActionSuccess' : 'NavigateToActionFail', payload });
  if (isThere) location.assign(address);
}

const addressIn = (home: string, place: string): string => safeRedirect(home + place, location.origin, home);

function signOut(home: string): void {
  const form = document.createElement('form');
  form.method = 'post';
  form.action = `${home}auth/logout`;
  document.body.append(form);
  form.requestSubmit();
}
