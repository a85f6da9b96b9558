import { useMemo, useRef, useState } from 'react';
import { reasonFor, type RefusalWord } from '#features/uploads/refusals.ts';
import { fieldId } from '#platform/forms.ts';
import { createTranslator, type Messages } from '#platform/messages.ts';
import type { AnswerQueue } from '../answer-queue.ts';
import { uploadFile } from '../calls.ts';
import type { EditorWord } from './editor-messages.ts';

interface Upload {
  key: number;
  path: string;
  name: string;
  progress: number;
  /** The code of a refusal. */
  code?: string | undefined;
  isDone?: boolean;
}

export interface Uploads {
  /** Uploads what was chosen in a file field. */
  take: (input: HTMLInputElement) => void;
  of: (path: string) => readonly Upload[];
  /** Resolves when nothing is being uploaded. */
  settled: () => Promise<unknown>;
}

/** Uploads files as soon as they are chosen, one after the other, and shows the documents of the question again. */
export function useUploads(
  { taskId, formId, section }: { taskId: string; formId: string; section: { key: string } },
  queue: AnswerQueue,
): Uploads {
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const line = useRef<Promise<unknown>>(Promise.resolve());
  const next = useRef(0);

  const change = (key: number, what: Partial<Upload>): void =>
    setUploads((known) => known.map((each) => (each.key === key ? { ...each, ...what } : each)));

  async function upload(path: string, key: number, file: File): Promise<void> {
    await queue.flush(); // so that the row of the question is there
    const code = await uploadFile({ taskId, section: section.key, path, file }, (progress) =>
      change(key, { progress }),
    );
    change(key, { code, isDone: code === undefined });
    if (code === undefined && (await showDocuments(fieldId(formId, path))))
      setUploads((known) => known.filter((each) => each.key !== key));
  }

  return {
    take: (input) => {
      const path = input.name.replace(/^files:/, '');
      for (const file of input.files ?? []) {
        next.current += 1;
        const key = next.current;
        setUploads((known) => [...known, { key, path, name: file.name, progress: 0 }]);
        line.current = line.current.then(() => upload(path, key, file));
      }
      input.value = ''; // uploaded here, not again with the form
    },
    of: (path) => uploads.filter((each) => each.path === path),
    settled: () => line.current,
  };
}

/** Shows the documents of a question as the page lists them now. Returns whether it does. */
async function showDocuments(id: string): Promise<boolean> {
  const shown = document.getElementById(`${id}-label`)?.closest('.field');
  if (!shown) return false;
  const page = await fetch(location.href).catch(() => undefined);
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
  uploads: readonly Upload[];
  words: Messages<RefusalWord>;
  t: (key: EditorWord, vars?: Record<string, string | number>) => string;
}

/** The files that are being uploaded, with their progress or why they were refused. */
export function FileUploads({ uploads, words, t }: Props) {
  const reasons = useMemo(() => createTranslator(words), [words]);
  if (uploads.length === 0) return null;
  return (
    <ul className="file-uploads">
      {uploads.map(({ key, name, progress, code, isDone }) => (
        <li key={key} className="row">
          <bdi>{name}</bdi>
          {code !== undefined ? (
            <span className="field-error" role="alert">
              {reasonFor(reasons, words.locale, code)}
            </span>
          ) : isDone ? (
            <span className="hint" role="status">
              {t('uploaded')}
            </span>
          ) : (
            <progress value={progress} aria-label={t('uploading', { name })} />
          )}
        </li>
      ))}
    </ul>
  );
}
