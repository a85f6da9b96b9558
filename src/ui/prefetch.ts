/** How long prefetching waits for what the first touch itself loads (ms). */
const PREFETCH_DELAY = 3000;

/**
 * Prefetches the files whose content is inline in the first page (platform/http/first-view.server.ts), so that the next page
 * finds them in the cache: at once when a link is touched, otherwise some seconds after the first touch or mouse movement.
 */
export function prefetchInlinedFiles(): void {
  const style = document.querySelector<HTMLElement>('style[data-files]');
  const prefetch = (): void =>
    style?.dataset['files']?.split(' ').forEach((file) => void fetch(file).catch(String));
  addEventListener(
    'pointerover',
    ({ target }) => setTimeout(prefetch, (target as Element).closest('a') ? 0 : PREFETCH_DELAY),
    { once: true },
  );
}
