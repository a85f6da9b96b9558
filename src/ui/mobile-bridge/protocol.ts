import type { AlertType } from '../alerts.ts';

/*
 * The messages between the mobile app and the page in it: the sixteen events of spec 1, section 4. Every
 * message is `{ event, nonce, payload }`; anything that does not match exactly is ignored.
 */

const id = (value: unknown): value is string => typeof value === 'string' && /^[\w-]{1,60}$/.test(value);
const name = (value: unknown): value is string =>
  typeof value === 'string' && /^[a-z][a-z0-9-]{0,59}$/.test(value);
const alertType = (value: unknown): value is AlertType =>
  typeof value === 'string' && ['success', 'info', 'warning', 'danger'].includes(value);
const message = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= 500;

/** Messages from the app, with the fields of their payloads. */
const APP_MESSAGES = {
  Ping: {},
  NavigateToTask: { taskId: id },
  NavigateToAction: { section: name, action: name },
  Logout: {},
  SetAlert: { type: alertType, msg: message },
} as const;

/** Why an action is not opened: it is closed to the person, the firm has not ordered it, or there is no such action. */
export type NavigationFailure = 'closed' | 'not-ordered' | 'unknown';

/** Messages to the app, with their payloads. The page ignores them as input. */
interface PageMessages {
  PingSuccess: object;
  InitMobileSuccess: object;
  NavigateToActionSuccess: { section: string; action: string };
  NavigateToActionFail: { section: string; action: string; reason: NavigationFailure };
  Logout: object;
  TermsAndConditionsRequired: object;
  MarkAsWip: { taskId: string };
  MarkAsReceived: { taskId: string };
  MarkAsCancelled: { taskId: string };
  MarkAsDone: { taskId: string };
  UpdateTask: { taskId: string };
  StepChanged: { taskId: string; step: string };
}

/** The header of a page by which it says that the firm has not ordered what it shows. */
export const ACTION_HEADER = 'Portal-Action';

type Fields = Readonly<Record<string, (value: unknown) => boolean>>;
type Payload<F> = { [K in keyof F]: F[K] extends (value: unknown) => value is infer T ? T : never };
type Messages<M> = { [E in keyof M]: { event: E; payload: Payload<M[E]> } }[keyof M];

export type AppMessage = Messages<typeof APP_MESSAGES>;
export type PageMessage = {
  [E in keyof PageMessages]: { event: E; payload: PageMessages[E] };
}[keyof PageMessages];

const KEYS = ['event', 'nonce', 'payload'];

/** Parses a message from the app; undefined when it is malformed or lacks the page's nonce. */
export function parseAppMessage(data: unknown, nonce: string): AppMessage | undefined {
  if (!isRecord(data) || data['nonce'] !== nonce) return undefined;
  const { event, payload = {} } = data;
  if (typeof event !== 'string' || !Object.hasOwn(APP_MESSAGES, event) || !isRecord(payload))
    return undefined;
  const fields: Fields = APP_MESSAGES[event as AppMessage['event']];
  const isWhole =
    Object.entries(fields).every(([field, fits]) => fits(payload[field])) &&
    Object.keys(payload).every((field) => Object.hasOwn(fields, field)) &&
    Object.keys(data).every((key) => KEYS.includes(key));
  return isWhole ? ({ event, payload } as AppMessage) : undefined;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
