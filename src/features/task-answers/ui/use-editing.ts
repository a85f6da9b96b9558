import { useStore } from '@nanostores/react';
import { useEffect, useMemo, useRef, useState, type MouseEvent, type RefObject } from 'react';
import { isSensitive } from '#features/questionnaires/answer-values.ts';
import type { EditorSection } from '#features/questionnaires/editor.ts';
import { problemMessage } from '#features/questionnaires/problem-messages.ts';
import type { AnswerValue, Answers } from '#features/questionnaires/questionnaires.ts';
import {
  isGroup,
  orderPath,
  questionAt,
  rowsOf,
  sectionProblems,
  visibleSections,
} from '#features/questionnaires/rules.ts';
import { fieldId, type Problem } from '#platform/forms.ts';
import { createTranslator } from '#platform/messages.ts';
import type { AnswerQueue, Entry } from '../answer-queue.ts';
import { changedControls, controlsOf, fillControls, pathOfControl, readControls } from './controls.ts';
import type { Uploads } from './FileUploads.tsx';
import type { StepEditorProps } from './step-editor.ts';
import { useFormEvents } from './use-form-events.ts';
import { useLastYear } from './use-last-year.ts';

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
  const findings = useStore(queue.$findings, { ssr: 'initial' });
  /** Questions whose problems are shown: those that were left; and those whose first problem is outdated. */
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [changed, setChanged] = useState<ReadonlySet<string>>(new Set());
  const shownOnce = useRef(new Set<string>());
  const texts = useMemo(
    () => ({
      shared: createTranslator(props.sharedWords),
      own: createTranslator(props.problemWords),
      lang,
    }),
    [props.sharedWords, props.problemWords, lang],
  );
  /** What was typed while the scripts were being loaded. React resets some controls when it takes over the page. */
  const [typedBefore] = useState(() => {
    if (typeof document === 'undefined') return [];
    const node = document.getElementById(props.formId);
    return node instanceof HTMLFormElement ? changedControls(node) : [];
  });
  const visible = visibleSections(template, answers).find((each) => each.section.key === section.key);
  useEffect(() => {
    for (const item of visible?.items ?? []) {
      shownOnce.current.add(item.path);
      if (isGroup(item))
        for (const { path } of item.rows.flatMap(({ questions }) => questions)) shownOnce.current.add(path);
    }
  });

  const problems = new Map<string, string>();
  const loaded = [...ownProblems(section), ...props.problems];
  for (const { field, text } of loaded)
    if (field !== undefined && !changed.has(pathOfControl(template, field) ?? field))
      problems.set(field, text);
  for (const problem of Object.values(findings)) if (problem) problems.set(problem.path, problem.text);
  for (const { path, ...problem } of visible ? sectionProblems(visible, 'typing') : [])
    if (left.has(pathOfControl(template, path) ?? path)) problems.set(path, problemMessage(problem, texts));

  /** What the form contains for a question or the comment; undefined if there is nothing to save. */
  function entryAt(path: string): Entry | undefined {
    if (!form.current) return undefined;
    const typed = controlsOf(form.current, (name) => ownerOf(name) === path);
    if (path === comment.path) {
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
    if (kind !== undefined && kind !== 'files') setChanged((paths) => new Set(paths).add(path));
    if (!typed) return;
    const entry = value === undefined ? typed : { ...typed, value };
    queue.change({ path, ...entry });
    updateAnswers(path, entry);
  }

  /** Updates the answers that decide what is shown, which sensitive ones never do. */
  function updateAnswers(path: string, { value, isSensitive: isSecret }: Entry): void {
    if (path !== comment.path && !isSecret) setAnswers((known) => withAnswer(known, path, value));
  }

  const ownerOf = (name: string): string | undefined =>
    name === comment.field.name ? comment.path : pathOfControl(template, name);

  useFormEvents(form, {
    taskId: props.taskId,
    queue,
    uploads,
    ownerOf,
    onTyped: (path) => take(path),
    onLeft: (path) => setLeft((paths) => (paths.has(path) ? paths : new Set(paths).add(path))),
  });
  const lastYearAt = useLastYear(props, { form, queue, answers, ownerOf, take });

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
    problemAt: (name: string): string | undefined => problems.get(name),
    wasShown: (path: string): boolean => shownOnce.current.has(path),
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
      const control = form.current.elements.namedItem(path === comment.path ? comment.field.name : path);
      if (stored !== undefined && control instanceof HTMLTextAreaElement)
        control.value = `${stored}\n\n${control.value}`;
      const entry = entryAt(path);
      if (entry) queue.decide(path, entry);
    },
  };
}

/** What a step shows of what was typed, and what its buttons do. */
export type Editing = ReturnType<typeof useEditing>;

/** What fields say themselves, such as why the firm returned them. */
const ownProblems = ({ items }: EditorSection): Problem[] =>
  items.flatMap((item) => {
    const fields =
      item.kind === 'question'
        ? item.fields
        : [
            { name: item.path, problem: item.problem },
            ...Object.values(item.rows).flatMap((row) => Object.values(row).flat()),
          ];
    return fields.flatMap(({ name, problem }) =>
      problem === undefined ? [] : [{ field: name, text: problem }],
    );
  });

function withAnswer(answers: Answers, path: string, value: Answers[string] | null): Answers {
  const { [path]: _before, ...others } = answers;
  return value === null ? others : { ...others, [path]: value };
}

/** The id of a new row: twelve characters, which no other tab chooses too. */
const newRow = (): string =>
  btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(9))))
    .replaceAll('+', '-')
    .replaceAll('/', '_');
