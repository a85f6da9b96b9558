/**
 * Loads the files whose content the first page contains (platform/first-view.server.ts) when the page is touched,
 * so that the next page finds them in the cache.
 */
export function loadForLater(): void {
  const { files } = document.querySelector<HTMLElement>('style[data-files]')?.dataset ?? {};
  const load = (): void => files?.split(' ').forEach((file) => void fetch(file).catch(() => undefined));
  addEventListener('pointerover', load, { once: true });
}
