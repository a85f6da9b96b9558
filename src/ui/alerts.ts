import { atom, onMount } from 'nanostores';
import type { IconName } from './icons.ts';

export type AlertType = 'success' | 'info' | 'warning' | 'danger';

export const ALERT_ICONS: Record<AlertType, IconName> = {
  success: 'circle-check',
  info: 'info',
  warning: 'alert-triangle',
  danger: 'circle-alert',
};

/** An alert (spec 1, section 3). Without `timeout` (ms) it stays until it is closed. */
export interface Alert {
  id: string;
  type: AlertType;
  msg: string;
  timeout?: number;
  /**
   * A list behind 'more details'; with `modalMsg` in a dialog: message, list, second message, second list.
   */
  modalItems?: string[];
  modalMsg?: string;
  modalItemsLower?: string[];
  modalMsgLower?: string;
  /** A button that sends these fields to a page: by `post`, for example to undo, or by `get`, to open it. */
  clickAction?: {
    label: string;
    address: string;
    fields: [name: string, value: string][];
    method?: 'get' | 'post';
  };
  /** Shown after navigating to the next page; only for success. Every other alert belongs to its page. */
  travels?: boolean;
  /** Removed from the page, but still in the list of the header. */
  past?: boolean;
}

/** The default timeout of an alert (product.md, Alerts). */
export const STANDARD_TIMEOUT = 2500;

/** The minimum timeout of an alert with an action: two and a half seconds are too short to reach it. */
export const ACTION_TIMEOUT = 10_000;

const KEY = 'ccAlerts';
const MOST = 30;

/**
 * The alerts of this tab, oldest first, stored in session storage. After navigation they are in the list of
 * the header, since an open error is not about the new page.
 */
export const $alerts = atom<Alert[]>([]);

onMount($alerts, () => {
  const stop = $alerts.listen((alerts) => sessionStorage.setItem(KEY, JSON.stringify(alerts)));
  const stored = JSON.parse(sessionStorage.getItem(KEY) ?? '[]') as Alert[];
  $alerts.set(
    stored.map(({ travels, ...alert }) => (travels && !alert.past ? alert : { ...alert, past: true })),
  );
  return stop;
});

/** Shows an alert above the others, replacing one with the same text. */
export function showAlert(alert: Omit<Alert, 'id' | 'past'>): void {
  const others = $alerts
    .get()
    .filter(({ past, type, msg }) => past || type !== alert.type || msg !== alert.msg);
  $alerts.set([...others, { ...alert, id: crypto.randomUUID() }].slice(-MOST));
}

export function closeAlert(id: string): void {
  $alerts.set($alerts.get().map((alert) => (alert.id === id ? { ...alert, past: true } : alert)));
}

/** Removes the action of an alert once it was used. */
export function endAction(id: string): void {
  $alerts.set(
    $alerts.get().map(({ clickAction, ...alert }) => {
      if (alert.id === id) return { ...alert, past: true };
      return clickAction ? { ...alert, clickAction } : alert;
    }),
  );
}
