import { useStore } from '@nanostores/react';
import { useEffect, useMemo, useRef, useState, type MouseEvent, type ReactNode } from 'react';
import { isSameAnswer, isSensitive, ownValue } from '#features/questionnaires/answer-values.ts';
import {
  fieldsOfRow,
  type ControlValues,
  type EditorItem,
  type EditorSection,
} from '#features/questionnaires/editor.ts';
import {
  problemMessage,
  type SharedProblemWord,
  type problemWords,
} from '#features/questionnaires/problem-messages.ts';
import type { AnswerValue, Answers } from '#features/questionnaires/questionnaires.ts';
import {
  isGroup,
  orderPath,
  questionAt,
  rowsOf,
  sectionProblems,
  visibleSections,
} from '#features/questionnaires/rules.ts';
import { SignedOut, useSessionOver } from '#features/uploads/ui/SignedOut.tsx';
import { fieldId, type FieldView, type Problem } from '#platform/forms.ts';
import type { Lang } from '#platform/languages.ts';
import { createTranslator, type Messages, type T } from '#platform/messages.ts';
import { termsFrom } from '#platform/refused-calls.ts';
import { showAlert } from '#ui/alerts.ts';
import { FieldNotes } from '#ui/form/FieldNotes.tsx';
import { PostedField } from '#ui/form/PostedFields.tsx';
import { createAnswerQueue, type AnswerQueue, type Entry } from '../answer-queue.ts';
import { leaveChanges, sendChanges } from '../calls.ts';
import { lastYearButton, VERSIONS_FIELD } from '../rules.ts';
import { ConflictChoice } from './ConflictChoice.tsx';
import {
  changedControls,
  controlsOf,
  fillControls,
  fillQuestion,
  pathOfControl,
  readControls,
  valueIn,
} from './controls.ts';
import type { EditorWord, FileWord } from './editor-messages.ts';
import { FileUploads, useUploads, type Uploads } from './FileUploads.tsx';

export interface StepEditorProps {
  taskId: string;
  formId: string;
  lang: Lang;
  locale: string;
  action: string;
  /** The address of the page, for buttons that are its actions. */
  page: string;
  section: EditorSection;
  /** The path of the comment, and its field. */
  comment: { path: string; field: FieldView };
  /** The hidden fields of the form. */
  hidden: Readonly<Record<string, string>>;
  versions: Readonly<Record<string, number>>;
  submit: string;
  problemTitle: string;
  problems: readonly Problem[];
  isDisabled: boolean;
  /** Whether staff are viewing as the contact. */
  isViewing: boolean;
  /** What they are told when they type. */
  viewingText: string;
  /** The slots with the documents of questions, by their paths. */
  fileSlots: Readonly<Record<string, string>>;
  words: Messages<EditorWord>;
  problemWords: Messages<(typeof problemWords)[number]>;
  sharedWords: Messages<SharedProblemWord>;
  fileWords: Messages<FileWord>;
  [slot: `files${number}`]: ReactNode;
}

/**
 * The questions of a step. The form is posted as a whole, with scripts and without; from the first touch on, every answer
 * is also saved a moment after it was typed, and questions appear and disappear with the answers that they depend on.
 */
export function StepEditor(props: StepEditorProps) {
  const { formId, section, comment, hidden, isDisabled } = props;
  const t = useMemo(() => createTranslator(props.words), [props.words]);
  const form = useRef<HTMLFormElement>(null);
  const queue = useQueue(props);
  const [answers, setAnswers] = useState<Answers>(section.answers);
  const uploads = useUploads(props, queue);
  const files = useMemo(() => createTranslator(props.fileWords), [props.fileWords]);
  const editing = useEditing(props, { form, queue, answers, setAnswers, uploads });
  const conflicts = useStore(queue.$conflicts);
  const isOver = useSessionOver(
    () => queue.hasSensitive() || uploads.hasUnsent(),
    () => {
      void queue.flush();
      uploads.resume();
    },
  );
  const visible = visibleSections(section.template, answers).find((each) => each.section.key === section.key);
  const shown = new Map((visible?.items ?? []).map((item) => [item.path, item]));

  const fieldsFor = (fields: readonly FieldView[]): ReactNode =>
    fields.map((field, at) =>
      field.kind === 'slot' ? (
        <FileField
          key={field.name}
          {...props}
          field={field}
          problem={editing.problemAt(field.name)}
          uploads={uploads}
          t={t}
        />
      ) : (
        <PostedField
          key={`${field.name} ${at}`}
          formId={formId}
          field={field}
          problemAt={editing.problemAt}
          addition={
            conflicts[field.name] ? (
              <ConflictChoice
                conflict={conflicts[field.name]}
                page={props.page}
                locale={props.locale}
                t={t}
                onMine={() => editing.decide(field.name)}
                onBoth={
                  field.kind === 'textarea' ? (stored) => editing.decide(field.name, stored) : undefined
                }
              />
            ) : (
              !isDisabled &&
              field.kind !== 'hidden' && (
                <LastYearButton offer={editing.lastYearAt(field.name)} {...{ formId, field, t }} />
              )
            )
          }
        />
      ),
    );

  const itemOf = (item: EditorItem): ReactNode => {
    const seen = shown.get(item.path);
    const isMounted = seen !== undefined || editing.wasShown(item.path);
    if (!isMounted) return null;
    if (item.kind === 'question')
      return (
        <div key={item.path} className="editor-item" hidden={seen === undefined}>
          {fieldsFor(item.fields)}
        </div>
      );
    const rows = rowsOf(answers, item.path);
    const rowShown = new Map(
      seen && isGroup(seen)
        ? seen.rows.map(({ id, questions }) => [id, questions.map(({ path }) => path)])
        : [],
    );
    return (
      <fieldset
        key={item.path}
        className="field"
        id={fieldId(formId, item.path)}
        tabIndex={-1}
        hidden={seen === undefined}
      >
        <legend>{item.label}</legend>
        <FieldNotes id={fieldId(formId, item.path)} hint={item.hint} problem={editing.problemAt(item.path)} />
        <input type="hidden" name={orderPath(item.path)} defaultValue="" />
        <input type="hidden" name={`${item.path}.count`} value={rows.length} readOnly />
        {rows.map((id, at) => {
          const name = item.row.replace('{{number}}', String(at + 1));
          return (
            <div
              className="card stack"
              role="group"
              aria-label={name}
              key={id}
              id={fieldId(formId, `${item.path}.${id}`)}
              tabIndex={-1}
              data-row={id}
            >
              <input type="hidden" name={orderPath(item.path)} defaultValue={id} />
              {item.rowNotes?.[id] !== undefined && <p className="field-note">{item.rowNotes[id]}</p>}
              {Object.entries(item.blank).map(([key, blank]) => {
                const path = `${item.path}.${id}.${key}`;
                const isShown = rowShown.get(id)?.includes(path) ?? false;
                if (!isShown && !editing.wasShown(path)) return null;
                return (
                  <div key={key} className="editor-item" hidden={!isShown}>
                    {fieldsFor(item.rows[id]?.[key] ?? fieldsOfRow(blank, id))}
                  </div>
                );
              })}
              {rows.length > item.min && !item.acceptedRows?.includes(id) && (
                <button
                  className="button"
                  name="form"
                  value={`${formId}:remove-${item.path}-${at}`}
                  formNoValidate
                  onClick={(event) => editing.removeRow(event, item.path, id)}
                >
                  {item.remove} <span className="visually-hidden">{name}</span>
                </button>
              )}
            </div>
          );
        })}
        {rows.length < item.max && (
          <p>
            <button
              className="button"
              name="form"
              value={`${formId}:add-${item.path}`}
              formNoValidate
              onClick={(event) => editing.addRow(event, item.path)}
            >
              {item.add}
            </button>
          </p>
        )}
        {rows.length < item.max &&
          Object.entries(item.lastRows ?? {}).map(
            ([id, text]) =>
              !rows.includes(id) && (
                <p key={id}>
                  <button
                    className="button"
                    name="form"
                    value={lastYearButton(formId, `${item.path}.${id}`)}
                    formNoValidate
                  >
                    {text}
                  </button>
                </p>
              ),
          )}
      </fieldset>
    );
  };

  return (
    <>
      {isOver &&
        (uploads.hasUnsent() ? (
          <SignedOut text={files('uploadSignedOut')} link={files('uploadSignIn')} />
        ) : (
          <SignedOut text={t('sessionOver')} link={t('signInAgain')} />
        ))}
      <form
        id={formId}
        ref={form}
        className="card stack"
        method="post"
        action={props.action}
        encType="multipart/form-data"
        noValidate
        data-masked=""
        data-busy={t('saving')}
        aria-labelledby="step-title"
      >
        <Summary {...props} />
        {/* The Enter key presses the first button, which would be one of a row. */}
        <button className="visually-hidden" tabIndex={-1} aria-hidden="true" />
        {Object.entries(hidden).map(([name, value]) => (
          <input key={name} type="hidden" name={name} defaultValue={value} />
        ))}
        <input type="hidden" name={VERSIONS_FIELD} defaultValue={JSON.stringify(props.versions)} />
        <fieldset className="editor-fields" disabled={isDisabled}>
          {section.items.map(itemOf)}
          <PostedField
            formId={formId}
            field={comment.field}
            problemAt={editing.problemAt}
            addition={
              conflicts[comment.path] && (
                <ConflictChoice
                  conflict={conflicts[comment.path]}
                  page={props.page}
                  locale={props.locale}
                  t={t}
                  onMine={() => editing.decide(comment.path)}
                  onBoth={(stored) => editing.decide(comment.path, stored)}
                />
              )
            }
          />
        </fieldset>
        <div className="actions">
          <SavingStatus {...{ queue, t, files }} viewingText={props.viewingText} />
          <button className="button button-primary" disabled={isDisabled}>
            {props.submit}
          </button>
        </div>
      </form>
    </>
  );
}

interface LastYearProps {
  /** Undefined if there is no answer of last year, or it is in use and there is nothing to undo. */
  offer: { isUsed: boolean; onPress: () => void } | undefined;
  formId: string;
  field: FieldView;
  t: (key: EditorWord) => string;
}

/** Fills a question with last year's answer, which its hint shows. Without scripts, the server fills it. */
const LastYearButton = ({ offer, formId, field, t }: LastYearProps) =>
  offer && (
    <p className="last-year-answer">
      <button
        className="button"
        name="form"
        value={lastYearButton(formId, field.name)}
        formNoValidate
        onClick={(event) => {
          event.preventDefault();
          offer.onPress();
        }}
      >
        {t(offer.isUsed ? 'undoLastYear' : 'useLastYear')}{' '}
        <span className="visually-hidden">{field.label}</span>
      </button>
    </p>
  );

/** The problems of the page as it was loaded. */
function Summary({ problems, problemTitle, formId }: StepEditorProps) {
  if (problems.length === 0) return null;
  return (
    <div className="error-summary" role="alert" tabIndex={-1} data-autofocus="">
      <h2>{problemTitle}</h2>
      <ul>
        {problems.map(({ field, text }) => (
          <li key={field ?? text}>
            <a href={`#${field === undefined ? formId : fieldId(formId, field)}`}>{text}</a>
          </li>
        ))}
      </ul>
    </div>
  );
}

interface StatusProps {
  queue: AnswerQueue;
  t: T<EditorWord>;
  files: T<FileWord>;
  viewingText: string;
}

/** Says whether everything is saved. It is read out only when that changes for longer than a moment. */
function SavingStatus({ queue, t, files, viewingText }: StatusProps) {
  const state = useStore(queue.$state, { ssr: 'initial' });
  const refusal = useStore(queue.$refusal, { ssr: 'initial' });
  const refusals: Partial<Record<string, string>> = {
    EMULATION_READ_ONLY: viewingText,
    TERMS_REQUIRED: files('reasonTerms'),
  };
  const text = {
    idle: '',
    saving: t('saving'),
    saved: t('saved'),
    waiting: t('notSavedYet'),
    refused: refusals[refusal] ?? t('notSaved'),
    closed: t('closedMeanwhile'),
    'read-only': '', // said in an alert
  }[state];
  const [announced, setAnnounced] = useState('');
  useEffect(() => {
    if (state === 'saving' || state === 'idle') return undefined;
    const timer = setTimeout(() => setAnnounced(text), state === 'saved' ? QUIET : 0);
    return () => clearTimeout(timer);
  }, [state, text]);
  return (
    <>
      <span className="hint saving-state" data-state={state} data-saving-state="">
        {text}
      </span>
      {state === 'refused' && refusal === 'TERMS_REQUIRED' && (
        <a className="button" href={termsFrom(location)} target="_blank">
          {files('uploadTerms')}
        </a>
      )}
      <span className="visually-hidden" role="status">
        {announced}
      </span>
    </>
  );
}

/** How long nothing must be typed before "changes saved" is read out, in ms. */
const QUIET = 2000;

function useQueue({ taskId, lang, versions, section, isViewing, viewingText }: StepEditorProps): AnswerQueue {
  const [queue] = useState(() =>
    createAnswerQueue({
      taskId,
      language: lang,
      versions,
      rows: Object.fromEntries(
        section.items.flatMap(({ kind, path }) =>
          kind === 'group' && (versions[orderPath(path)] ?? 0) > 0
            ? [[orderPath(path), rowsOf(section.answers, path)]]
            : [],
        ),
      ),
      send: (body) => sendChanges(taskId, body),
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

/** While the server renders there is nothing that was typed. */
const NO_STORAGE = { getItem: () => null, setItem: () => undefined, removeItem: () => undefined };

interface Parts {
  form: { current: HTMLFormElement | null };
  queue: AnswerQueue;
  answers: Answers;
  setAnswers: (change: (answers: Answers) => Answers) => void;
  uploads: Uploads;
}

/** What happens while a person types, leaves a field, adds a row, or submits. */
function useEditing(props: StepEditorProps, { form, queue, answers, setAnswers, uploads }: Parts) {
  const { section, lang, comment } = props;
  const { template } = section;
  const findings = useStore(queue.$findings, { ssr: 'initial' });
  /** Questions whose problems are shown: those that were left; and those whose first problem is outdated. */
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [changed, setChanged] = useState<ReadonlySet<string>>(new Set());
  const shownOnce = useRef(new Set<string>());
  /** What controls contained before last year's answers were used. */
  const [replaced, setReplaced] = useState<Readonly<Record<string, ControlValues>>>({});
  const lastYear = useMemo(
    () =>
      new Map(
        Object.entries(section.lastYear).flatMap(([path, contents]) => {
          const question = questionAt(template, path);
          if (!question || question.kind === 'files') return [];
          const value = valueIn(contents, path, question, { lang, country: template.country });
          return value === undefined ? [] : [[path, { contents, value }] as const];
        }),
      ),
    [section.lastYear, template, lang],
  );
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

  useEffect(() => {
    const node = form.current;
    if (!node) return undefined;
    let isReady = false;
    const onTyped = ({ target }: Event): void => {
      if (!(target instanceof Element)) return;
      const name = target.getAttribute('name') ?? '';
      if (target instanceof HTMLInputElement && target.type === 'file') return uploads.take(target);
      const path = ownerOf(name);
      if (path !== undefined) take(path);
    };
    const onLeft = ({ target }: Event): void => {
      const path = target instanceof Element ? ownerOf(target.getAttribute('name') ?? '') : undefined;
      if (path === undefined) return;
      setLeft((paths) => (paths.has(path) ? paths : new Set(paths).add(path)));
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
    const onLeave = (): void => queue.leave((body) => leaveChanges(props.taskId, body));
    const onHidden = (): void => {
      if (document.visibilityState === 'hidden') onLeave();
    };
    const onOnline = (): void => void queue.flush();
    node.addEventListener('input', onTyped);
    node.addEventListener('change', onTyped);
    node.addEventListener('focusout', onLeft);
    node.addEventListener('submit', onSubmit);
    addEventListener('pagehide', onLeave);
    document.addEventListener('visibilitychange', onHidden);
    addEventListener('online', onOnline);
    return () => {
      node.removeEventListener('input', onTyped);
      node.removeEventListener('change', onTyped);
      node.removeEventListener('focusout', onLeft);
      node.removeEventListener('submit', onSubmit);
      removeEventListener('pagehide', onLeave);
      document.removeEventListener('visibilitychange', onHidden);
      removeEventListener('online', onOnline);
    };
  }, []);

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

  /** Fills a question with last year's answer, or with what its controls contained before. */
  async function switchLastYear(path: string, isUsed: boolean): Promise<void> {
    const last = lastYear.get(path);
    const node = form.current;
    if (!node || !last) return;
    const { [path]: before, ...others } = replaced;
    if (isUsed && before) {
      setReplaced(others);
      await fillQuestion(node, path, before);
      take(path);
    } else {
      setReplaced({ ...replaced, [path]: controlsOf(node, (name) => ownerOf(name) === path) });
      await fillQuestion(node, path, last.contents);
      take(path, { same: true, of: last.value });
    }
    void queue.flush();
  }

  function changeRows(event: MouseEvent, path: string, rows: readonly string[]): void {
    event.preventDefault();
    const order = orderPath(path);
    setAnswers((known): Answers => ({ ...known, [order]: [...rows] }));
    queue.change({ path: order, value: [...rows], typed: [], isSensitive: false });
    void queue.flush();
  }

  return {
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
    /** What the button for last year's answer does; undefined if there is none. */
    lastYearAt: (path: string): LastYearProps['offer'] => {
      const last = lastYear.get(path);
      if (!last) return undefined;
      const isUsed = isSameAnswer(ownValue(answers[path]), last.value);
      if (isUsed && !replaced[path]) return undefined;
      return { isUsed, onPress: () => void switchLastYear(path, isUsed) };
    },
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

interface FileFieldProps extends StepEditorProps {
  field: FieldView;
  problem: string | undefined;
  uploads: Uploads;
  t: (key: EditorWord, vars?: Record<string, string | number>) => string;
}

/** The documents of a question: as the page shows them, or the field alone in a new row. */
function FileField(props: FileFieldProps) {
  const { field, formId, fileSlots, problem, uploads, t } = props;
  const { name, label, hint, optional } = field;
  const slot = fileSlots[name];
  const id = fieldId(formId, name);
  return (
    <>
      {slot === undefined ? (
        <div className="field">
          <label htmlFor={id} data-writes="">
            {label}
            {optional && <small> ({optional})</small>}
          </label>
          <FieldNotes id={id} hint={hint} problem={problem} />
          <input className="input" type="file" id={id} name={`files:${name}`} multiple data-writes="" />
        </div>
      ) : (
        props[slot as `files${number}`]
      )}
      <FileUploads path={name} uploads={uploads} words={props.fileWords} t={t} />
    </>
  );
}
