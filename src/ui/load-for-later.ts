/** How long everything else goes first that a touch has begun to load (ms). */
const LATER = 3000;

/**
 * Loads the files whose content the first page contains (platform/first-view.server.ts), so that the next page finds
 * them in the cache: at once when a link is touched, otherwise a while after the first touch or movement.
 */
export function loadForLater(): void {
  const style = document.querySelector<HTMLElement>('style[data-files]');
  const load = (): void =>
    style?.dataset['files']?.split(' ').forEach((file) => void fetch(file).catch(String));
  addEventListener(
    'pointerover',
    ({ target }) => setTimeout(load, (target as Element).closest('a') ? 0 : LATER),
    { once: true },
  );
}
