import { useEffect, useState, type RefObject } from 'react';
import type { Answers } from '#features/tasks/questionnaires/questionnaires.ts';
import { orderPath } from '#features/tasks/questionnaires/rules.ts';
import type { AnswerQueue, Entry } from '../answer-queue.ts';
import { changedControls, fillControls } from './controls.ts';
import type { Uploads } from './use-uploads.ts';
import type { StepEditorProps } from './step-editor.ts';

interface Parts {
  form: RefObject<HTMLFormElement | null>;
  queue: AnswerQueue;
  uploads: Uploads;
  setAnswers: (change: (answers: Answers) => Answers) => void;
  /** The path of the question that a control belongs to. */
  ownerOf: (name: string) => string | undefined;
  entryAt: (path: string) => Entry | undefined;
  take: (path: string) => void;
  updateAnswers: (path: string, entry: Entry) => void;
}

/** Takes what was typed before the scripts were loaded, and restores what an earlier page could not save. */
export function useRestoring(
  { formId, section }: StepEditorProps,
  { form, queue, uploads, setAnswers, ownerOf, entryAt, take, updateAnswers }: Parts,
): void {
  /** What was typed while the scripts were being loaded. React resets some controls when it takes over the page. */
  const [typedBefore] = useState(() => {
    if (typeof document === 'undefined') return [];
    const node = document.getElementById(formId);
    return node instanceof HTMLFormElement ? changedControls(node) : [];
  });

  useEffect(() => {
    const node = form.current;
    if (!node) return;
    fillControls(node, typedBefore);
    const paths = changedControls(node).map(([name]) => ownerOf(name));
    for (const path of new Set(paths)) if (path !== undefined) take(path);
    for (const control of node.elements)
      if (control instanceof HTMLInputElement && control.files?.length) uploads.take(control);
  }, []);

  // what an earlier page of this tab could not save: first the rows, then what is in them
  useEffect(() => {
    if (!queue.hasUnsaved()) return;
    const orders = section.items.flatMap(({ kind, path }) => {
      const rows = kind === 'group' ? queue.unsavedRows(orderPath(path)) : undefined;
      return rows ? [[orderPath(path), [...rows]] as [string, string[]]] : [];
    });
    if (orders.length > 0) setAnswers((known): Answers => ({ ...known, ...Object.fromEntries(orders) }));
    setTimeout(() => {
      if (!form.current) return;
      fillControls(form.current, queue.restored());
      void queue.flush();
      for (const [name] of queue.restored()) {
        const path = ownerOf(name);
        const entry = path === undefined ? undefined : entryAt(path);
        if (path !== undefined && entry) updateAnswers(path, entry);
      }
    });
  }, []);
}
