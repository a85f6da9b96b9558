import type { ClientDirective } from 'astro';
import { defineIslands, parsed } from './island.ts';

/*
 * Loads an island at the first sign of intent: pointer, touch, focus, key or drag. Input during loading is
 * recorded and replayed once React listens, one task each like real input: clicks, submits, selected and
 * dropped files. Typed text is passed on to React. With a media query as its value, an island stays what the server
 * rendered where that does not match. In markup with `data-native`, which no script of the island handles, input does at
 * once what it does on a page without scripts.
 */

const INTENT = ['pointerover', 'pointerdown', 'touchstart', 'focusin', 'keydown', 'dragenter'];
const HELD = ['click', 'submit', 'change'];
const TYPED_INPUT =
  'input:not([type=button],[type=submit],[type=checkbox],[type=radio],[type=reset],[type=file]),textarea,select,option';

interface HeldEvent {
  type: string;
  target: Element;
  submitter: HTMLElement | null;
}

const nextTask = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

const directive: ClientDirective = (load, { value }, island) => {
  if (typeof value === 'string' && !matchMedia(value).matches) return;
  const held: HeldEvent[] = [];
  const typed = new Set<HTMLInputElement>();
  let state: 'waiting' | 'loading' | 'replaying' = 'waiting';

  const hold = (event: Event): void => {
    if (state === 'replaying' || !(event.target instanceof Element)) return;
    start();
    if (event.target.closest('[data-native]')) return;
    if (
      event.type === 'click' &&
      (event.target.closest('a[href],label,summary') || event.target.matches(`${TYPED_INPUT},[type=file]`))
    )
      return;
    event.preventDefault();
    event.stopImmediatePropagation();
    held.push({
      type: event.type,
      target: event.target,
      submitter: event instanceof SubmitEvent ? event.submitter : null,
    });
  };

  const noteTyping = (event: Event): void => {
    if (state !== 'replaying' && event.target instanceof HTMLInputElement && event.target.type !== 'file')
      typed.add(event.target);
  };

  /**
   * Puts files dropped before hydration into the file field of the island, as if they had been selected
   * there.
   */
  const catchDrop = (event: Event): void => {
    const field = island.querySelector<HTMLInputElement>('input[type=file]');
    if (state === 'replaying' || !field || !(event instanceof DragEvent)) return;
    event.preventDefault();
    if (event.type !== 'drop' || !event.dataTransfer) return;
    event.stopImmediatePropagation(); // React may listen already, and would take the files a second time
    field.files = event.dataTransfer.files;
    holdChange(field);
  };

  const holdChange = (field: HTMLInputElement): void => {
    held.push({ type: 'change', target: field, submitter: null });
    start();
  };

  const start = (): void => {
    if (state === 'waiting') void wake();
  };

  const fail = (): void => {
    state = 'waiting';
    held.length = 0;
    island.removeAttribute('aria-busy');
  };

  async function wake(): Promise<void> {
    state = 'loading';
    island.setAttribute('aria-busy', 'true');
    // offline, for example: the next touch tries again
    const hydrate = await load().catch(() => undefined);
    if (!hydrate) return fail();
    await hydrate();
    await nextTask(); // hydrateRoot has been called; commit and effects run in the next task
    state = 'replaying';
    for (const field of typed) await tell(field);
    for (const event of held) {
      replay(event);
      await nextTask();
    }
    for (const type of INTENT) island.removeEventListener(type, start, true);
    for (const type of HELD) island.removeEventListener(type, hold, true);
    for (const type of ['dragover', 'drop']) island.removeEventListener(type, catchDrop, true);
    island.removeEventListener('input', noteTyping, true);
    island.removeAttribute('aria-busy');
  }

  for (const type of INTENT) island.addEventListener(type, start, { capture: true, passive: true });
  for (const type of HELD) island.addEventListener(type, hold, true);
  for (const type of ['dragover', 'drop']) island.addEventListener(type, catchDrop, true);
  island.addEventListener('input', noteTyping, true);
  // A browser that restores the page restores selected files, too.
  void parsed().then(() => {
    for (const field of island.querySelectorAll<HTMLInputElement>('input[type=file]'))
      if (state === 'waiting' && field.files?.length) holdChange(field);
  });
};

/**
 * Passes a field's value to React, which compares with the value it saw last: writing through the prototype
 * and clearing that memory makes it a change.
 */
async function tell(
  field: HTMLInputElement & { _valueTracker?: { setValue: (value: string) => void } },
): Promise<void> {
  const { value } = field;
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value')?.set?.call(field, value);
  field._valueTracker?.setValue('');
  field.dispatchEvent(new Event('input', { bubbles: true }));
  await nextTask();
}

function replay({ type, target, submitter }: HeldEvent): void {
  if (!target.isConnected) return;
  if (type === 'click' && target instanceof HTMLElement) target.click();
  else if (type === 'submit' && target instanceof HTMLFormElement) target.requestSubmit(submitter);
  else target.dispatchEvent(new Event(type, { bubbles: true }));
}

defineIslands(directive);

export default directive;
