import { useStore } from '@nanostores/react';
import { atom } from 'nanostores';
import { useRef, useState } from 'react';
import { canRetry } from '#features/documents/uploads/refusals.ts';
import { useLeaveWarning } from '#features/documents/uploads/ui/use-leave-warning.ts';
import { fieldId } from '#platform/forms/forms.ts';
import type { AnswerQueue } from '../answer-queue.ts';
import { uploadFile } from '../calls.ts';
import type { OwnerWord } from './editor-messages.ts';

export interface Upload {
  key: string;
  path: string;
  /** Kept until it is stored, to send it again. */
  file: File;
  progress: number;
  /** The code of a refusal. */
  code?: string | undefined;
  isDone?: boolean;
}

/** What the owner refuses for a reason of its own, where to try again does not help. */
const OWN_REFUSALS: Partial<Record<string, OwnerWord>> = {
  CLOSED: 'refusedClosed',
  EXPIRED: 'refusedExpired',
};

const isUnderWay = ({ code, isDone }: Upload): boolean => code === undefined && !isDone;
const mayBeSent = ({ code }: Upload): boolean =>
  code !== undefined && OWN_REFUSALS[code] === undefined && canRetry(code);

export interface Uploads {
  /** Uploads what was chosen in a file field. */
  take: (input: HTMLInputElement) => void;
  of: (path: string) => readonly Upload[];
  /** Whether a refused file may be sent again. */
  mayBeSent: (upload: Upload) => boolean;
  /** What the owner says of a refusal of its own. */
  ownWord: (code: string) => OwnerWord | undefined;
  retry: (key: string) => void;
  remove: (key: string) => void;
  /** Whether leaving the page would lose a file that is not stored, and that may still be sent. */
  hasUnsent: () => boolean;
  /** Sends again what was refused because the session had ended. */
  resume: () => void;
  /** Resolves when nothing is being uploaded. */
  settled: () => Promise<unknown>;
}

interface Step {
  calls: { section: string };
  formId: string;
  page: string;
  /** Whether staff are viewing as the contact: the page says that nothing is uploaded (read-only.ts of staff). */
  isViewing: boolean;
}

/** Uploads files as soon as they are chosen, one after the other, and shows the documents of the question again. */
export function useUploads({ calls, formId, page, isViewing }: Step, queue: AnswerQueue): Uploads {
  const [$uploads] = useState(() => atom<readonly Upload[]>([]));
  const uploads = useStore($uploads, { ssr: 'initial' });
  const line = useRef<Promise<unknown>>(Promise.resolve());
  const isBusy = uploads.some(isUnderWay);

  useLeaveWarning(isBusy, () => $uploads.get().some(isUnderWay));

  const change = (key: string, what: Partial<Upload>): void =>
    $uploads.set($uploads.get().map((each) => (each.key === key ? { ...each, ...what } : each)));
  const remove = (key: string): void => $uploads.set($uploads.get().filter((each) => each.key !== key));

  async function upload({ key, path, file }: Upload): Promise<void> {
    await queue.flush(); // so that the row of the question is there
    const code = await uploadFile({ address: calls.section, path, file, key }, (progress) =>
      change(key, { progress }),
    );
    change(key, { code, isDone: code === undefined });
    if (code === undefined && (await showDocuments(page, fieldId(formId, path)))) remove(key);
  }

  function send(what: Upload): void {
    line.current = line.current.then(() => upload(what));
  }

  function retry(key: string): void {
    const known = $uploads.get().find((each) => each.key === key);
    if (!known) return;
    change(key, { code: undefined, progress: 0 });
    send(known);
  }

  return {
    take: (input) => {
      const path = input.name.replace(/^files:/, '');
      for (const file of isViewing ? [] : (input.files ?? [])) {
        const chosen = { key: crypto.randomUUID(), path, file, progress: 0 };
        $uploads.set([...$uploads.get(), chosen]);
        send(chosen);
      }
      input.value = ''; // uploaded here, not again with the form
    },
    of: (path) => uploads.filter((each) => each.path === path),
    mayBeSent,
    ownWord: (code) => OWN_REFUSALS[code],
    retry,
    remove,
    hasUnsent: () => $uploads.get().some((each) => isUnderWay(each) || mayBeSent(each)),
    resume: () => {
      for (const { key, code } of $uploads.get()) if (code === 'UNAUTHENTICATED') retry(key);
    },
    settled: () => line.current,
  };
}

/**
 * Shows the documents of a question as the page of the step lists them now. Returns whether it does. The address of
 * the window may open another step, once this one is complete.
 */
async function showDocuments(step: string, id: string): Promise<boolean> {
  const shown = document.getElementById(`${id}-label`)?.closest('.field');
  if (!shown) return false;
  const page = await fetch(step).catch(() => undefined);
  const text = page?.ok ? await page.text() : '';
  const fresh = new DOMParser()
    .parseFromString(text, 'text/html')
    .getElementById(`${id}-label`)
    ?.closest('.field');
  if (!fresh) return false;
  shown.replaceWith(fresh);
  return true;
}
