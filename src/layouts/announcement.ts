/** Hides an announcement that was closed in this browser, and remembers when it is closed. */
export function rememberClosing(announcement: HTMLElement): void {
  const key = `ccCovidAlertClosed-${announcement.dataset['announcement'] ?? ''}`;
  const mark = announcement.dataset['mark'] ?? '';
  if (localStorage.getItem(key) === mark) announcement.hidden = true;
  announcement.querySelector('form')?.addEventListener('submit', () => localStorage.setItem(key, mark));
}
