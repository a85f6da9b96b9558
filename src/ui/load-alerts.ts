import { $alerts } from './alerts.ts';

/**
 * Loads the script for alerts when there is one, or at the first interaction: it must be there when the
 * connection is lost.
 */
export function loadAlerts(): void {
  const load = (): void => void import('./alert-region.ts');
  for (const type of ['pointerdown', 'keydown'] as const) addEventListener(type, load, { once: true });
  $alerts.subscribe((alerts) => (alerts.length > 0 || document.querySelector('[data-flash]')) && load());
}
