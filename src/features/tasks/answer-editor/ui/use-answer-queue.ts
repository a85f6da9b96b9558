import { useStore } from '@nanostores/react';
import { useEffect, useState } from 'react';
import { orderPath, rowsOf } from '#features/tasks/questionnaires/rules.ts';
import { showAlert } from '#ui/alerts.ts';
import { createAnswerQueue, type AnswerQueue } from '../answer-queue.ts';
import { sendChanges } from '../calls.ts';
import type { StepEditorProps } from './step-editor.ts';

/** While the server renders there is nothing that was typed. */
const NO_STORAGE = { getItem: () => null, setItem: () => undefined, removeItem: () => undefined };

/** The answers of the step that are still to be saved. */
export function useAnswerQueue({
  ownerId,
  calls,
  lang,
  versions,
  section,
  isViewing,
  viewingText,
}: StepEditorProps): AnswerQueue {
  const [queue] = useState(() =>
    createAnswerQueue({
      ownerId,
      language: lang,
      versions,
      rows: Object.fromEntries(
        section.items.flatMap(({ kind, path }) =>
          kind === 'group' && (versions[orderPath(path)] ?? 0) > 0
            ? [[orderPath(path), rowsOf(section.answers, path)]]
            : [],
        ),
      ),
      send: (body) => sendChanges(calls.answers, body),
      storage: typeof sessionStorage === 'undefined' ? NO_STORAGE : sessionStorage,
      who:
        typeof document === 'undefined'
          ? ''
          : (document.querySelector<HTMLElement>('[data-who]')?.dataset['who'] ?? ''),
      isReadOnly: isViewing,
    }),
  );
  const state = useStore(queue.$state, { ssr: 'initial' });
  useEffect(() => {
    if (state === 'read-only') showAlert({ type: 'info', msg: viewingText });
  }, [state, viewingText]);
  return queue;
}
