import { $alerts, ALERT_ICONS, closeAlert, type Alert } from './alerts.ts';
import { ICONS } from './icons.ts';

/*
 * Draws the alerts of the store under the header, the newest on top, and those that are gone in the header's list. A time-out waits while
 * the pointer or the focus is on the alert.
 */

const region = document.getElementById('alerts');
const past = document.getElementById('past-alerts');
const words = document.getElementById('alert-words')?.dataset ?? {};
const drawn = new Map<string, HTMLElement>();
let isFirst = true;

function draw(alerts: readonly Alert[]): void {
  for (const [id, element] of drawn) if (!alerts.some((alert) => alert.id === id && !alert.past)) element.remove();
  const fresh = alerts.filter(({ id, past: isPast }) => !isPast && !drawn.has(id)).map((alert) => add(alert));
  if (isFirst) region?.append(...fresh.toReversed()); // under what the page says itself
  else region?.prepend(...fresh.toReversed());
  isFirst = false;
  const list = past?.querySelector('[data-past-alerts]');
  if (!past || !list) return;
  const gone = alerts.filter((alert) => alert.past).toReversed();
  past.hidden = gone.length === 0;
  list.replaceChildren(...gone.map(({ msg, modalItems = [], modalItemsLower = [] }) => {
    const items = [...modalItems, ...modalItemsLower];
    return make('li', {}, items.length > 0 ? [msg, listOf(items)] : [msg]);
  }));
}

function add(alert: Alert): HTMLElement {
  const close = make('button', { type: 'button', class: 'button button-quiet', 'aria-label': words['close'] ?? '' }, [icon('x')]);
  const body = make('div', {}, [make('p', {}, [alert.msg])]);
  if (alert.modalMsg !== undefined) body.append(...modal(alert, alert.modalMsg));
  else if (alert.modalItems?.length) body.append(make('details', {}, [make('summary', {}, [words['details'] ?? '']), listOf(alert.modalItems)]));
  if (alert.clickAction) body.append(action(alert.clickAction));
  const role = alert.type === 'danger' || alert.type === 'warning' ? 'alert' : 'status';
  const element = make('div', { class: `alert alert-${alert.type}`, role }, [icon(ALERT_ICONS[alert.type]), body, close]);
  close.addEventListener('click', () => closeAlert(alert.id));
  drawn.set(alert.id, element);
  if (alert.timeout !== undefined) fade(element, alert.timeout, () => closeAlert(alert.id));
  return element;
}

const action = ({ label, address, fields }: NonNullable<Alert['clickAction']>): HTMLElement =>
  make('form', { method: 'post', action: address }, [...fields.map(([name, value]) => make('input', { type: 'hidden', name, value }, [])), make('button', { class: 'link' }, [label])]);

const listOf = (items: string[]): HTMLElement => make('ul', {}, items.map((item) => make('li', {}, [make('bdi', {}, [item])])));

/** The link to the dialog with the details, and the dialog; the kit opens and closes it. */
function modal({ id, modalItems = [], modalMsgLower = '', modalItemsLower = [] }: Alert, modalMsg: string): HTMLElement[] {
  const title = words['details'] ?? '';
  const close = make('button', { type: 'button', class: 'button button-quiet', 'aria-label': words['close'] ?? '', 'data-close-dialog': '' }, [icon('x')]);
  const parts = [make('p', {}, [modalMsg]), listOf(modalItems), make('p', {}, [modalMsgLower]), listOf(modalItemsLower)].filter((part) => part.textContent !== '');
  const dialog = make('dialog', { id: `alert-${id}`, 'aria-label': title }, [make('div', { class: 'stack' }, [make('div', { class: 'bar' }, [make('h2', {}, [title]), close]), ...parts])]);
  return [make('button', { type: 'button', class: 'link', 'data-dialog': `alert-${id}` }, [title]), dialog];
}

function fade(element: HTMLElement, timeout: number, close: () => void): void {
  let timer = setTimeout(close, timeout);
  const wait = (): void => clearTimeout(timer);
  const resume = (): void => {
    wait();
    timer = setTimeout(close, timeout);
  };
  for (const type of ['pointerenter', 'focusin']) element.addEventListener(type, wait);
  for (const type of ['pointerleave', 'focusout']) element.addEventListener(type, resume);
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

$alerts.subscribe(draw);
