import {
  $alerts,
  ACTION_TIMEOUT,
  ALERT_ICONS,
  closeAlert,
  endAction,
  showAlert,
  type Alert,
} from './alerts.ts';
import { ICONS } from './icons.ts';

/*
 * Shows the alerts of the store above the page, newest on top, and past ones in the list of the header. A
 * timeout pauses while the pointer or the focus is on the alert. F6 moves the focus to the alerts or that
 * list, and back. An open dialog contains the alerts, too.
 */

const region = document.getElementById('alerts');
const past = document.getElementById('past-alerts');
const bell = past?.closest('details');
const texts = document.getElementById('alert-words')?.dataset ?? {};
const drawn = new Map<string, HTMLElement>();

/** The live region for an alert. It must exist before its text is added, or screen readers stay silent. */
const place = ({ type }: Alert): Element | null | undefined =>
  region?.querySelector(
    type === 'danger' || type === 'warning' ? '[aria-live=assertive]' : '[aria-live=polite]',
  );

const home = region?.parentElement;
const anchor = region?.nextSibling ?? null;

/** Keeps the alerts in the open modal dialog, if any: nothing outside of it can be seen, read or reached. */
function followDialog(): void {
  const dialog = [...document.querySelectorAll('dialog:modal')].at(-1);
  if (!region || !home || region.contains(dialog ?? null)) return; // the details of an alert
  if (region.parentElement === (dialog ?? home)) return;
  if (dialog) dialog.append(region);
  else home.insertBefore(region, anchor);
}

function draw(alerts: readonly Alert[]): void {
  followDialog();
  for (const [id, element] of drawn) {
    if (alerts.some((alert) => alert.id === id && !alert.past)) continue;
    remove(element);
    drawn.delete(id);
  }
  for (const alert of alerts) if (!alert.past && !drawn.has(alert.id)) place(alert)?.prepend(add(alert));
  listPast(alerts.filter((alert) => alert.past).toReversed());
}

function listPast(alerts: readonly Alert[]): void {
  const list = past?.querySelector('[data-past-alerts]');
  if (!past || !list) return;
  past.hidden = alerts.length === 0;
  list.replaceChildren(
    ...alerts.map((alert) => {
      const items = [...(alert.modalItems ?? []), ...(alert.modalItemsLower ?? [])];
      return make('li', {}, [
        alert.msg,
        ...(items.length > 0 ? [listOf(items)] : []),
        ...(alert.clickAction ? [action(alert)] : []),
      ]);
    }),
  );
}

function add(alert: Alert): HTMLElement {
  const close = make(
    'button',
    { type: 'button', class: 'button button-quiet', 'aria-label': texts['close'] ?? '' },
    [icon('x')],
  );
  const body = make('div', {}, [make('p', {}, [alert.msg])]);
  if (alert.modalMsg !== undefined) body.append(...modal(alert, alert.modalMsg));
  else if (alert.modalItems?.length)
    body.append(
      make('details', {}, [make('summary', {}, [texts['details'] ?? '']), listOf(alert.modalItems)]),
    );
  if (alert.clickAction) body.append(action(alert));
  if (alert.clickAction) body.lastElementChild?.append(make('kbd', {}, ['F6']));
  const element = make('div', { class: `alert alert-${alert.type}` }, [
    icon(ALERT_ICONS[alert.type]),
    body,
    close,
  ]);
  close.addEventListener('click', () => closeAlert(alert.id));
  drawn.set(alert.id, element);
  const { timeout, clickAction } = alert;
  if (timeout !== undefined)
    fade(element, clickAction ? Math.max(timeout, ACTION_TIMEOUT) : timeout, () => closeAlert(alert.id));
  return element;
}

function action({ id, clickAction }: Alert): HTMLElement {
  const { label, address, fields, method = 'post' } = clickAction ?? { label: '', address: '', fields: [] };
  const hidden = fields.map(([name, value]) => make('input', { type: 'hidden', name, value }, []));
  const form = make('form', { method, action: address }, [
    ...hidden,
    make('button', { class: 'link' }, [label]),
  ]);
  // only once the form has actually been sent
  form.addEventListener('submit', () => addEventListener('pagehide', () => endAction(id), { once: true }));
  return form;
}

const listOf = (items: string[]): HTMLElement =>
  make(
    'ul',
    {},
    items.map((item) => make('li', {}, [make('bdi', {}, [item])])),
  );

/** Creates the dialog with the details and the button that opens it; kit.ts opens and closes it. */
function modal(
  { id, modalItems = [], modalMsgLower = '', modalItemsLower = [] }: Alert,
  modalMsg: string,
): HTMLElement[] {
  const title = texts['details'] ?? '';
  const close = make(
    'button',
    {
      type: 'button',
      class: 'button button-quiet',
      'aria-label': texts['close'] ?? '',
      'data-close-dialog': '',
    },
    [icon('x')],
  );
  const parts = [
    make('p', {}, [modalMsg]),
    listOf(modalItems),
    make('p', {}, [modalMsgLower]),
    listOf(modalItemsLower),
  ].filter((part) => part.textContent !== '');
  const dialog = make('dialog', { id: `alert-${id}`, 'aria-label': title }, [
    make('div', { class: 'stack' }, [
      make('div', { class: 'bar' }, [make('h2', {}, [title]), close]),
      ...parts,
    ]),
  ]);
  return [make('button', { type: 'button', class: 'link', 'data-dialog': `alert-${id}` }, [title]), dialog];
}

function fade(element: HTMLElement, timeout: number, close: () => void): void {
  let timer = setTimeout(close, timeout);
  const wait = (): void => clearTimeout(timer);
  const resume = ({ type, relatedTarget }: PointerEvent | FocusEvent): void => {
    wait();
    const goesOn = relatedTarget instanceof Node && element.contains(relatedTarget);
    if (!goesOn && !element.matches(type === 'focusout' ? ':hover' : ':focus-within'))
      timer = setTimeout(close, timeout);
  };
  for (const type of ['pointerenter', 'focusin'] as const) element.addEventListener(type, wait);
  for (const type of ['pointerleave', 'focusout'] as const) element.addEventListener(type, resume);
}

let previousFocus: Element | null = null;

/** Returns the focus to where it was before F6, or to the content if that is gone or hidden by now. */
function returnFocus(): void {
  const targets = [previousFocus, document.getElementById('main')];
  previousFocus = null;
  for (const target of targets) {
    if (target instanceof HTMLElement) target.focus({ preventScroll: true });
    if (document.activeElement === target) return;
  }
}

function remove(element: HTMLElement): void {
  const hadFocus = element.contains(document.activeElement);
  element.remove();
  if (hadFocus) returnFocus();
}

const FOCUSABLE = 'a[href], button, summary';

function jump(event: KeyboardEvent): void {
  const isInside = document.activeElement?.closest('#alerts, #bell') != null;
  const isEscape = event.key === 'Escape' && isInside && region?.contains(document.activeElement);
  const dialog = region?.closest('dialog');
  if (event.key !== 'F6' && !isEscape) return;
  const alert = region?.querySelector('.alert');
  if (isInside) returnFocus();
  else if (alert || (!dialog && past?.hidden === false)) {
    previousFocus = document.activeElement;
    if (!alert && bell) bell.open = true;
    (alert ?? bell)?.querySelector<HTMLElement>(FOCUSABLE)?.focus();
  } else return;
  event.preventDefault();
}

function make(name: string, attributes: Record<string, string>, children: (Node | string)[]): HTMLElement {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

function icon(name: string): SVGElement {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  const use = document.createElementNS('http://www.w3.org/2000/svg', 'use');
  use.setAttribute('href', `${ICONS}#${name}`);
  svg.append(use);
  return svg;
}

/** Turns the messages in the page, such as that of the previous form, into alerts. */
function adoptFlash(): void {
  const messages = [...(region?.querySelectorAll<HTMLElement>('[data-flash]') ?? [])];
  // until now the message itself had this role
  if (messages.length > 0) region?.querySelector('[aria-live=polite]')?.setAttribute('role', 'status');
  for (const message of messages) {
    const alert = JSON.parse(message.dataset['flash'] ?? '') as Omit<Alert, 'id' | 'past'>;
    message.remove();
    showAlert({ ...alert, ...(alert.type === 'success' && { timeout: ACTION_TIMEOUT }) });
  }
}

document.addEventListener('keydown', jump);
// of the dialogs, neither bubbles
for (const type of ['toggle', 'close']) document.addEventListener(type, followDialog, true);
$alerts.subscribe(draw);
adoptFlash();
