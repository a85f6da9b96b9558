/** That there is no connection, in the words that every page carries (_frame/Alerts.astro). */
export const offlineText = (): string =>
  document.querySelector<HTMLElement>('[data-offline]')?.dataset['offline'] ?? '';
