import { useStore } from '@nanostores/react';
import { atom } from 'nanostores';
import { useMemo, useRef, useState } from 'react';
import { canRetry, reasonFor } from '#features/uploads/refusals.ts';
import { useLeaveWarning } from '#features/uploads/ui/use-leave-warning.ts';
import { fieldId } from '#platform/forms.ts';
import { createTranslator, type Messages } from '#platform/messages.ts';
import { termsFrom } from '#platform/refused-calls.ts';
import type { AnswerQueue } from '../answer-queue.ts';
import { uploadFile } from '../calls.ts';
import type { EditorWord, FileWord } from './editor-messages.ts';

interface Upload {
  key: string;
  path: string;
  /** Kept until it is stored, to send it again. */
  file: File;
  progress: number;
  /** The code of a refusal. */
  code?: string | undefined;
  isDone?: boolean;
}

const isUnderWay = ({ code, isDone }: Upload): boolean => code === undefined && !isDone;
const mayBeSent = ({ code }: Upload): boolean =>
  code !== undefined && TASK_REFUSALS[code] === undefined && canRetry(code);

export interface Uploads {
  /** Uploads what was chosen in a file field. */
  take: (input: HTMLInputElement) => void;
  of: (path: string) => readonly Upload[];
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
  taskId: string;
  formId: string;
  page: string;
  section: { key: string };
  /** Whether staff are viewing as the contact: the page says that nothing is uploaded (read-only.ts of staff). */
  isViewing: boolean;
}

/** Uploads files as soon as they are chosen, one after the other, and shows the documents of the question again. */
export function useUploads({ taskId, formId, page, section, isViewing }: Step, queue: AnswerQueue): Uploads {
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
    const code = await uploadFile({ taskId, section: section.key, path, file, key }, (progress) =>
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

interface Props {
  path: string;
  uploads: Uploads;
  words: Messages<FileWord>;
  t: (key: EditorWord, vars?: Record<string, string | number>) => string;
}

/** The files that are being uploaded, with their progress or why they were refused. */
export function FileUploads({ path, uploads, words, t }: Props) {
  const files = uploads.of(path);
  if (files.length === 0) return null;
  return (
    <ul className="file-uploads">
      {files.map((each) => (
        <li key={each.key} data-unsent={mayBeSent(each) ? '' : undefined}>
          {each.code !== undefined ? (
            <Failed {...{ uploads, words, t }} upload={{ ...each, code: each.code }} />
          ) : (
            <div className="row">
              <bdi>{each.file.name}</bdi>
              {each.isDone ? (
                <span className="hint" role="status">
                  {t('uploaded')}
                </span>
              ) : (
                <progress value={each.progress} aria-label={t('uploading', { name: each.file.name })} />
              )}
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}

interface FailedProps extends Omit<Props, 'path'> {
  upload: Upload & { code: string };
}

/** A file that was refused: why, and what can be done. */
function Failed({ upload, uploads, words, t }: FailedProps) {
  const { key, file, code } = upload;
  const documents = useMemo(() => createTranslator(words), [words]);
  const word = TASK_REFUSALS[code];
  return (
    <>
      <bdi>{file.name}</bdi>
      <p className="field-error" role="alert">
        {documents('uploadFailed', { reason: word ? t(word) : reasonFor(documents, words.locale, code) })}
      </p>
      <div className="row">
        {code === 'TERMS_REQUIRED' && (
          <a className="button" href={termsFrom(location)} target="_blank">
            {documents('uploadTerms')}
          </a>
        )}
        {mayBeSent(upload) && (
          <button type="button" className="button" onClick={() => uploads.retry(key)}>
            {documents('uploadRetry')} <span className="visually-hidden">{file.name}</span>
          </button>
        )}
        <button type="button" className="button" onClick={() => uploads.remove(key)}>
          {documents('uploadRemove')} <span className="visually-hidden">{file.name}</span>
        </button>
      </div>
    </>
  );
}

/** What a task refuses for a reason of its own, where to try again does not help. */
const TASK_REFUSALS: Partial<Record<string, EditorWord>> = {
  CLOSED: 'refusedClosed',
  EXPIRED: 'refusedExpired',
};
