import { useEffect, type RefObject } from 'react';
import type { AnswerQueue } from '../answer-queue.ts';
import { leaveChanges } from '../calls.ts';
import { VERSIONS_FIELD } from '../rules.ts';
import type { Uploads } from './use-uploads.ts';

interface Parts {
  /** Where answers are saved. */
  address: string;
  queue: AnswerQueue;
  uploads: Uploads;
  /** The path of the question that a control belongs to. */
  ownerOf: (name: string) => string | undefined;
  onTyped: (path: string) => void;
  onLeft: (path: string) => void;
}

/**
 * What happens when a person types, leaves a field, submits, or leaves the page. Listens from the first drawing on, and
 * calls the functions of then.
 */
export function useFormEvents(
  form: RefObject<HTMLFormElement | null>,
  { address, queue, uploads, ownerOf, onTyped, onLeft }: Parts,
): void {
  useEffect(() => {
    const node = form.current;
    if (!node) return undefined;
    const end = new AbortController();
    const { signal } = end;
    let isReady = false;
    let isPressed = false;
    const onInput = ({ target }: Event): void => {
      if (!(target instanceof Element)) return;
      const name = target.getAttribute('name') ?? '';
      if (target instanceof HTMLInputElement && target.type === 'file') return uploads.take(target);
      const path = ownerOf(name);
      if (path !== undefined) onTyped(path);
    };
    const onFocusOut = ({ target }: Event): void => {
      const path = target instanceof Element ? ownerOf(target.getAttribute('name') ?? '') : undefined;
      if (path === undefined) return;
      const leave = (): void => {
        onLeft(path);
        void queue.flush();
      };
      if (!isPressed) return leave();
      // what a field says when it is left would move the button that is being pressed, and its click would be lost
      const released = new AbortController();
      for (const type of ['pointerup', 'pointercancel'])
        addEventListener(
          type,
          () => {
            released.abort();
            setTimeout(leave);
          },
          { signal: AbortSignal.any([signal, released.signal]) },
        );
    };
    const onPress = ({ type }: Event): void => void (isPressed = type === 'pointerdown');
    /** The form is posted when everything before it is saved, with the versions that are stored then. */
    const onSubmit = (event: SubmitEvent): void => {
      const submitter = event.submitter instanceof HTMLButtonElement ? event.submitter : null;
      if (isReady) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      const isDecision = submitter?.name === 'keep-stored';
      if (!isDecision && Object.keys(queue.$conflicts.get()).length > 0)
        return node.querySelector<HTMLElement>('[data-conflict] button')?.focus();
      // the browser ignores a submission while it fires the event of another
      const isOver = new Promise((resolve) => setTimeout(resolve));
      void Promise.all([queue.flush(), uploads.settled(), isOver]).then(() => {
        if (queue.hasUnsaved() || !node.isConnected) return; // says so itself
        if (uploads.hasUnsent()) return node.querySelector<HTMLElement>('[data-unsent] button')?.focus();
        const versions = node.elements.namedItem(VERSIONS_FIELD);
        if (versions instanceof HTMLInputElement) versions.value = JSON.stringify(queue.versions());
        isReady = true;
        node.requestSubmit(submitter);
        isReady = false;
      });
    };
    const onLeave = (): void => queue.leave((body) => leaveChanges(address, body));
    const onHidden = (): void => {
      if (document.visibilityState === 'hidden') onLeave();
    };
    const onOnline = (): void => void queue.flush();
    for (const type of ['pointerdown', 'pointerup', 'pointercancel'])
      addEventListener(type, onPress, { signal, capture: true });
    node.addEventListener('input', onInput, { signal });
    node.addEventListener('change', onInput, { signal });
    node.addEventListener('focusout', onFocusOut, { signal });
    node.addEventListener('submit', onSubmit, { signal });
    addEventListener('pagehide', onLeave, { signal });
    document.addEventListener('visibilitychange', onHidden, { signal });
    addEventListener('online', onOnline, { signal });
    return () => end.abort();
  }, []);
}
