import type { AlertType } from '../alerts.ts';

/*
 * What the mobile app and the page that it shows say to each other: the sixteen events of spec 1, section 4.
 * Every message is `{ event, nonce, payload }`. What is not exactly as written here is no message.
 */

const id = (value: unknown): value is string => typeof value === 'string' && /^[\w-]{1,60}$/.test(value);
const name = (value: unknown): value is string =>
  typeof value === 'string' && /^[a-z][a-z0-9-]{0,59}$/.test(value);
const alertType = (value: unknown): value is AlertType =>
  typeof value === 'string' && ['success', 'info', 'warning', 'danger'].includes(value);
const message = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= 500;

/** What the app asks of the page, with the fields of the payload. */
const ASKED = {
  Ping: {},
  NavigateToTask: { taskId: id },
  NavigateToAction: { section: name, action: name },
  Logout: {},
  SetAlert: { type: alertType, msg: message },
} as const;

/** What the page tells the app. It asks nothing of the page: heard from anywhere it does nothing. */
const TOLD = {
  PingSuccess: {},
  InitMobileSuccess: {},
  NavigateToActionSuccess: { section: name, action: name },
  NavigateToActionFail: { section: name, action: name },
  Logout: {},
  TermsAndConditionsRequired: {},
  MarkAsWip: { taskId: id },
  MarkAsReceived: { taskId: id },
  MarkAsCancelled: { taskId: id },
  MarkAsDone: { taskId: id },
  UpdateTask: { taskId: id },
  StepChanged: { taskId: id, step: id },
} as const;

type Fields = Readonly<Record<string, (value: unknown) => boolean>>;
type Payload<F> = { [K in keyof F]: F[K] extends (value: unknown) => value is infer T ? T : never };
type Messages<M> = { [E in keyof M]: { event: E; payload: Payload<M[E]> } }[keyof M];

export type Asked = Messages<typeof ASKED>;
export type Told = Messages<typeof TOLD>;

/**
 * A message from the app, or nothing where it is not one, is not whole, or does not know the page's nonce.
 */
export const asked = (data: unknown, nonce: string): Asked | undefined =>
  isRecord(data) && data['nonce'] === nonce
    ? (read(data, ASKED, ['event', 'nonce', 'payload']) as Asked | undefined)
    : undefined;

/** A message to the app, or nothing where it is none. */
export const told = (data: unknown): Told | undefined =>
  isRecord(data) ? (read(data, TOLD, ['event', 'payload']) as Told | undefined) : undefined;

function read(
  data: Record<string, unknown>,
  messages: Readonly<Record<string, Fields>>,
  keys: readonly string[],
): object | undefined {
  const { event, payload = {} } = data;
  if (typeof event !== 'string' || !Object.hasOwn(messages, event) || !isRecord(payload)) return undefined;
  const fields = messages[event] ?? {};
  const isWhole =
    Object.entries(fields).every(([field, fits]) => fits(payload[field])) &&
    Object.keys(payload).every((field) => Object.hasOwn(fields, field)) &&
    Object.keys(data).every((key) => keys.includes(key));
  return isWhole ? { event, payload } : undefined;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
