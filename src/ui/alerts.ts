import { atom, onMount } from 'nanostores';
import type { IconName } from './icons.ts';

export type AlertType = 'success' | 'info' | 'warning' | 'danger';

export const ALERT_ICONS: Record<AlertType, IconName> = {
  success: 'circle-check',
  info: 'info',
  warning: 'alert-triangle',
  danger: 'circle-alert',
};

/** An alert as the spec has it (spec 1, section 3). Without `timeout` (ms) it stays until it is closed. */
export interface Alert {
  id: string;
  type: AlertType;
  msg: string;
  timeout?: number;
  /** A list behind 'more details'; with `modalMsg` a dialog: message, list, second message, second list. */
  modalItems?: string[];
  modalMsg?: string;
  modalItemsLower?: string[];
  modalMsgLower?: string;
  /** A button that posts these fields to a page, such as the one that takes back what was done. */
  clickAction?: { label: string; address: string; fields: [name: string, value: string][] };
  /** A success that leads to another page: it is shown there. Every other alert belongs to its page. */
  travels?: boolean;
  /** Gone from the page, still in the list of the header. */
  past?: boolean;
}

/** Standard time-out of an alert (product.md, Alerts). */
export const STANDARD_TIMEOUT = 2500;

/**
 * The least time for which an alert with an action is shown: two and a half seconds do not suffice to reach
 * it.
 */
export const ACTION_TIMEOUT = 10_000;

const KEY = 'ccAlerts';
const MOST = 30;

/**
 * The alerts of this tab, the oldest first, kept in session storage. With the next page they are in the list
 * of the header: an error that nobody closed says nothing about another page.
 */
export const $alerts = atom<Alert[]>([]);

onMount($alerts, () => {
  const stop = $alerts.listen((alerts) => sessionStorage.setItem(KEY, JSON.stringify(alerts)));
  const kept = JSON.parse(sessionStorage.getItem(KEY) ?? '[]') as Alert[];
  $alerts.set(
    kept.map(({ travels, ...alert }) => (travels && !alert.past ? alert : { ...alert, past: true })),
  );
  return stop;
});

/** Shows an alert above the others; one that says the same makes room for it. */
export function showAlert(alert: Omit<Alert, 'id' | 'past'>): void {
  const others = $alerts
    .get()
    .filter(({ past, type, msg }) => past || type !== alert.type || msg !== alert.msg);
  $alerts.set([...others, { ...alert, id: crypto.randomUUID() }].slice(-MOST));
}

export function closeAlert(id: string): void {
  $alerts.set($alerts.get().map((alert) => (alert.id === id ? { ...alert, past: true } : alert)));
}

/** The action of an alert is used: it is not offered again. */
export function endAction(id: string): void {
  $alerts.set(
    $alerts.get().map(({ clickAction, ...alert }) => {
      if (alert.id === id) return { ...alert, past: true };
      return clickAction ? { ...alert, clickAction } : alert;
    }),
  );
}
