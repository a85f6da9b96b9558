import { safeRedirect } from '#platform/http/safe-redirect.ts';
import { showAlert, STANDARD_TIMEOUT } from '../alerts.ts';
import type { NativeChannel } from './channel.ts';
import {
  ACTION_HEADER,
  parseAppMessage,
  type AppMessage,
  type NavigationFailure,
  type PageMessage,
} from './protocol.ts';

interface Bridge {
  channel: NativeChannel;
  /** The address of the portal's home in the language of the page. */
  home: string;
  /** Origins of app shells that may frame the page (MOBILE_ORIGINS). */
  origins: readonly string[];
}

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
  document.addEventListener('submit', (event) => {
    if (
      event.target instanceof HTMLFormElement &&
      new URL(event.target.action).pathname === `${home}auth/logout`
    )
      send({ event: 'Logout', payload: {} });
  });
  send({ event: 'InitMobileSuccess', payload: {} }, { nonce });
  tellTask(send);
  if (location.pathname.startsWith(`${home}terms-and-conditions`))
    send({ event: 'TermsAndConditionsRequired', payload: {} });
}

/** What the app is told when a task has another status than when it was last shown. */
const STATUS_EVENTS: Readonly<
  Record<string, 'MarkAsWip' | 'MarkAsReceived' | 'MarkAsCancelled' | 'MarkAsDone'>
> = {
  WIP: 'MarkAsWip',
  Received: 'MarkAsReceived',
  Cancelled: 'MarkAsCancelled',
  Done: 'MarkAsDone',
};

/** Tells the app what has changed since the task of the page was last shown in this tab. */
function tellTask(send: (message: PageMessage) => void): void {
  const {
    task: taskId,
    status = '',
    step = '',
  } = document.querySelector<HTMLElement>('h1[data-task]')?.dataset ?? {};
  if (taskId === undefined) return;
  const key = `mobile-task:${taskId}`;
  const [statusBefore, stepBefore] = (sessionStorage.getItem(key) ?? '').split(' ');
  const event = STATUS_EVENTS[status];
  if (event && statusBefore && statusBefore !== status) send({ event, payload: { taskId } });
  if (step !== '' && step !== stepBefore) send({ event: 'StepChanged', payload: { taskId, step } });
  sessionStorage.setItem(key, `${status} ${step}`);
  new MutationObserver((changes) => {
    const isSaved = changes.some(
      ({ target }) => target instanceof HTMLElement && target.dataset['state'] === 'saved',
    );
    if (isSaved) send({ event: 'UpdateTask', payload: { taskId } });
  }).observe(document.body, { subtree: true, attributeFilter: ['data-state'] });
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
  // one that cannot be reached is unknown
  const answer = await fetch(address, { method: 'HEAD', redirect: 'manual' }).catch(() => undefined);
  const reason = failureOf(answer);
  if (reason) return send({ event: 'NavigateToActionFail', payload: { ...payload, reason } });
  send({ event: 'NavigateToActionSuccess', payload });
  location.assign(address);
}

/** Why an action is not opened; undefined if it is. */
function failureOf(answer: Response | undefined): NavigationFailure | undefined {
  if (answer?.headers.get(ACTION_HEADER) === 'not-ordered') return 'not-ordered';
  if (answer?.ok) return undefined;
  // a section that the person does not have leads somewhere else
  return answer?.status === 403 || answer?.type === 'opaqueredirect' ? 'closed' : 'unknown';
}

const addressIn = (home: string, place: string): string => safeRedirect(home + place, location.origin, home);

function signOut(home: string): void {
  const form = document.createElement('form');
  form.method = 'post';
  form.action = `${home}auth/logout`;
  document.body.append(form);
  form.requestSubmit();
}
