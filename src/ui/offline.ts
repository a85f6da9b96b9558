/** Returns the text for "no connection", which every page contains (layouts/Alerts.astro). */
export const offlineText = (): string =>
  document.querySelector<HTMLElement>('[data-offline]')?.dataset['offline'] ?? '';
