import { useEffect, type RefObject } from 'react';
import type { AnswerQueue } from '../answer-queue.ts';
import { leaveChanges } from '../calls.ts';
import { VERSIONS_FIELD } from '../rules.ts';
import type { Uploads } from './FileUploads.tsx';

interface Parts {
  taskId: string;
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
  { taskId, queue, uploads, ownerOf, onTyped, onLeft }: Parts,
): void {
  useEffect(() => {
    const node = form.current;
    if (!node) return undefined;
    let isReady = false;
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
      onLeft(path);
      void queue.flush();
    };
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
    const onLeave = (): void => queue.leave((body) => leaveChanges(taskId, body));
    const onHidden = (): void => {
      if (document.visibilityState === 'hidden') onLeave();
    };
    const onOnline = (): void => void queue.flush();
    node.addEventListener('input', onInput);
    node.addEventListener('change', onInput);
    node.addEventListener('focusout', onFocusOut);
    node.addEventListener('submit', onSubmit);
    addEventListener('pagehide', onLeave);
    document.addEventListener('visibilitychange', onHidden);
    addEventListener('online', onOnline);
    return () => {
      node.removeEventListener('input', onInput);
      node.removeEventListener('change', onInput);
      node.removeEventListener('focusout', onFocusOut);
      node.removeEventListener('submit', onSubmit);
      removeEventListener('pagehide', onLeave);
      document.removeEventListener('visibilitychange', onHidden);
      removeEventListener('online', onOnline);
    };
  }, []);
}
