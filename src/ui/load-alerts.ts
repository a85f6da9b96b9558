import { $alerts } from './alerts.ts';

/**
 * Loads what draws the alerts when there is one, and before somebody does anything: without a connection it
 * could not be had.
 */
export function loadAlerts(): void {
  const load = (): void => void import('./alert-region.ts');
  for (const type of ['pointerdown', 'keydown'] as const) addEventListener(type, load, { once: true });
  $alerts.subscribe((alerts) => (alerts.length > 0 || document.querySelector('[data-flash]')) && load());
}
