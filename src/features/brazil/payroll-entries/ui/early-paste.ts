/*
 * Keeps a table that is pasted into a cell while the editor of the sheet still loads, and pastes it once the editor takes
 * it: the browser would put all of it into one cell.
 */

const EVERY_MS = 50;

let waiting: ReturnType<typeof setInterval> | undefined;
let isRepeated = false;

const paste = (text: string, target: EventTarget): boolean => {
  const clipboardData = new DataTransfer();
  clipboardData.setData('text/plain', text);
  isRepeated = true;
  const isTaken = !target.dispatchEvent(
    new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
  );
  isRepeated = false;
  return isTaken;
};

document.addEventListener('paste', (event) => {
  const { target, clipboardData, defaultPrevented: isTaken } = event;
  const text = clipboardData?.getData('text/plain') ?? '';
  if (isRepeated || isTaken || !(target instanceof Element) || !target.closest('#cells input')) return;
  if (!/[\t\n]/.test(text.trim())) return;
  event.preventDefault();
  clearInterval(waiting);
  waiting = setInterval(() => {
    if (!target.isConnected || paste(text, target)) clearInterval(waiting);
  }, EVERY_MS);
});
