import { useStore } from '@nanostores/react';
import { useEffect, useRef, type MouseEvent, type RefObject } from 'react';
import { isSensitive } from '#features/tasks/questionnaires/answer-values.ts';
import type { AnswerValue, Answers } from '#features/tasks/questionnaires/questionnaires.ts';
import {
  isGroup,
  orderPath,
  questionAt,
  rowsOf,
  visibleSections,
  type VisibleSection,
} from '#features/tasks/questionnaires/rules.ts';
import { fieldId } from '#platform/forms/forms.ts';
import type { AnswerQueue, Entry } from '../answer-queue.ts';
import { $filled, setFilled } from '../remarks.ts';
import { controlsOf, pathOfControl, readControls } from './controls.ts';
import type { Uploads } from './use-uploads.ts';
import type { StepEditorProps } from './step-editor.ts';
import { useFormEvents } from './use-form-events.ts';
import { useLastYear } from './use-last-year.ts';
import { useProblems } from './use-problems.ts';
import { useRestoring } from './use-restoring.ts';

interface Parts {
  form: RefObject<HTMLFormElement | null>;
  queue: AnswerQueue;
  answers: Answers;
  setAnswers: (change: (answers: Answers) => Answers) => void;
  uploads: Uploads;
}

/** What happens while a person types, leaves a field, adds a row, or submits. */
export function useEditing(props: StepEditorProps, { form, queue, answers, setAnswers, uploads }: Parts) {
  const { section, lang, comment } = props;
  const { template } = section;
  const entries = useStore(queue.$entries, { ssr: 'initial' });
  const visible = visibleSections(template, { ...answers, ...entries } as Answers).find(
    (each) => each.section.key === section.key,
  );
  const wasShown = useShownBefore(visible);
  const { problemAt, noteLeft, noteChanged } = useProblems(props, { queue, visible });
  useEffect(() => setFilled({ answers, queue }), [answers]);

  /** What the form contains for a question or the comment; undefined if there is nothing to save. */
  function entryAt(path: string): Entry | undefined {
    if (!form.current) return undefined;
    const typed = controlsOf(form.current, (name) => ownerOf(name) === path);
    if (path === comment?.path) {
      const [[, [text = ''] = []] = []] = typed;
      return { value: text.trim() || null, typed, isSensitive: false };
    }
    const question = questionAt(template, path);
    if (!question) return undefined;
    if (question.kind === 'files') {
      const isNone = typed.some(([name, values]) => name.endsWith('#none') && values.length > 0);
      return { value: isNone ? { none: true } : null, typed, isSensitive: false };
    }
    const value = readControls(path, question, { form: form.current, lang, country: template.country });
    return value === undefined ? undefined : { value, typed, isSensitive: isSensitive(question) };
  }

  /** Takes the answer that the form contains for a question, if it has changed; or `value`, which the form shows. */
  function take(path: string, value?: AnswerValue): void {
    const typed = entryAt(path);
    const kind = questionAt(template, path)?.kind;
    if (kind !== undefined && kind !== 'files') noteChanged(path);
    if (!typed) return;
    const entry = value === undefined ? typed : { ...typed, value };
    queue.change({ path, ...entry });
    updateAnswers(path, entry);
  }

  /** Updates the answers that decide what is shown, which sensitive ones never do. */
  function updateAnswers(path: string, { value, isSensitive: isSecret }: Entry): void {
    if (isSecret) setFilled({ sensitive: { ...$filled.get()?.sensitive, [path]: value } });
    else if (path !== comment?.path) setAnswers((known) => withAnswer(known, path, value));
  }

  const ownerOf = (name: string): string | undefined =>
    comment && name === comment.field.name ? comment.path : pathOfControl(template, name);

  useFormEvents(form, {
    address: props.calls.answers,
    queue,
    uploads,
    ownerOf,
    onTyped: (path) => take(path),
    onLeft: noteLeft,
  });
  const lastYearAt = useLastYear(props, { form, queue, answers, ownerOf, take });
  useRestoring(props, { form, queue, uploads, setAnswers, ownerOf, entryAt, take, updateAnswers });

  function changeRows(event: MouseEvent, path: string, rows: readonly string[]): void {
    event.preventDefault();
    const order = orderPath(path);
    setAnswers((known): Answers => ({ ...known, [order]: [...rows] }));
    queue.change({ path: order, value: [...rows], typed: [], isSensitive: false });
    void queue.flush();
  }

  return {
    /** The section with the questions that the answers ask for. */
    visible,
    problemAt,
    wasShown,
    addRow: (event: MouseEvent, path: string): void => {
      const id = newRow();
      changeRows(event, path, [...rowsOf(answers, path), id]);
      setTimeout(() =>
        form.current
          ?.querySelector<HTMLElement>(`[data-row="${id}"] :is(input:not([type=hidden]), select, textarea)`)
          ?.focus(),
      );
    },
    lastYearAt,
    removeRow: (event: MouseEvent, path: string, id: string): void => {
      changeRows(
        event,
        path,
        rowsOf(answers, path).filter((each) => each !== id),
      );
      document.getElementById(fieldId(props.formId, path))?.focus();
    },
    /** Uses one's own answer, or both texts. */
    decide: (path: string, stored?: string): void => {
      if (!form.current) return;
      const control = form.current.elements.namedItem(
        comment && path === comment.path ? comment.field.name : path,
      );
      if (stored !== undefined && control instanceof HTMLTextAreaElement)
        control.value = `${stored}\n\n${control.value}`;
      const entry = entryAt(path);
      if (entry) queue.decide(path, entry);
    },
  };
}

/** What a step shows of what was typed, and what its buttons do. */
export type Editing = ReturnType<typeof useEditing>;

/** Returns whether a question or a group has been shown since the page was loaded. */
function useShownBefore(visible: VisibleSection | undefined): (path: string) => boolean {
  const shownOnce = useRef(new Set<string>());

  useEffect(() => {
    for (const item of visible?.items ?? []) {
      shownOnce.current.add(item.path);
      if (isGroup(item))
        for (const { path } of item.rows.flatMap(({ questions }) => questions)) shownOnce.current.add(path);
    }
  });

  return (path) => shownOnce.current.has(path);
}

function withAnswer(answers: Answers, path: string, value: Answers[string] | null): Answers {
  const { [path]: _before, ...others } = answers;
  return value === null ? others : { ...others, [path]: value };
}

/** The id of a new row: twelve characters, which no other tab chooses too. */
const newRow = (): string =>
  btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(9))))
    .replaceAll('+', '-')
    .replaceAll('/', '_');
