import { isSameAnswer } from '#features/tasks/questionnaires/answer-values.ts';
import { displayValue } from '#features/tasks/questionnaires/display.server.ts';
import type { EditorItem, EditorSection } from '#features/tasks/questionnaires/editor.ts';
import type { Answers, Template } from '#features/tasks/questionnaires/questionnaires.ts';
import { orderPath, questionAt, textIn } from '#features/tasks/questionnaires/rules.ts';
import { submissionOf } from '#features/tasks/tasks/decisions.server.ts';
import { itemLockOf } from '#features/tasks/tasks/item-lock.server.ts';
import { answersIn, isLocked, type ItemLock } from '#features/tasks/tasks/items.ts';
import type { TaskRow } from '#features/tasks/tasks/scope.server.ts';
import type { FieldView } from '#platform/forms/forms.ts';
import type { Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';

/** An item that the firm returned, for the client. */
export interface ReturnedItem {
  path: string;
  title: string;
  reason: string;
  /** The step that it is in. */
  section: string;
}

/** The items of a task that the firm returned, in the order of the questions; undefined if it returned none. */
export async function returnedItems(
  row: TaskRow,
  form: Template,
  lang: Lang,
): Promise<{ lock: ItemLock; items: ReturnedItem[]; answers: Answers } | undefined> {
  const lock = await itemLockOf(row, form);
  if (!lock) return undefined;
  const submitted = answersIn((await submissionOf(row.task_id))?.answers ?? []);
  const order = form.sections.flatMap(({ key, items }) => items.map((item) => `${key}.${item.key}`));
  const place = (path: string): number => order.indexOf(path.split('.').slice(0, 2).join('.'));
  const items = [...lock.returned]
    // of a new version of a document, only the question about the document says so
    .filter(([, reason]) => reason !== '')
    .map(([path, reason]) => ({
      path,
      title: titleOf(form, path, { lang, answers: submitted }),
      reason,
      section: path.split('.')[0] ?? '',
    }))
    .toSorted((a, b) => place(a.path) - place(b.path));
  return { lock, items, answers: submitted };
}

/** The question, or which row of a group. */
function titleOf(form: Template, path: string, { lang, answers }: { lang: Lang; answers: Answers }): string {
  const [section, key, row] = path.split('.');
  const item = form.sections.find((each) => each.key === section)?.items.find((each) => each.key === key);
  if (!item) return '';
  if (item.kind !== 'group' || row === undefined) return textIn(item.label, lang, form);
  const rows = answers[`${section}.${key}#order`];
  return `${textIn(item.one, lang, form)} ${(Array.isArray(rows) ? rows.indexOf(row) : 0) + 1}`;
}

interface Reader {
  lang: Lang;
  form: Template;
  answers: Answers;
  firm: string;
}

/**
 * The editor of a step after a return: what was not returned is shown as text with a tick, and what was returned says
 * why until it is changed.
 */
export function withReturnedItems(
  section: EditorSection,
  found: { lock: ItemLock; answers: Answers } | undefined,
  reader: Reader,
): EditorSection {
  if (!found) return section;
  const { lock, answers: submitted } = found;
  const t = translationsFor(reader.lang, 'task-review');
  const reasonOf = (path: string): string | undefined => {
    const reason = lock.returned.get(path);
    return reason === undefined || reason === ''
      ? undefined
      : t('returnedBecause', { firm: reader.firm, reason });
  };
  const one = (field: FieldView): FieldView[] => {
    const path = field.name.replace(/#none$/, '');
    if (isLocked(lock, path)) {
      const question =
        field.kind === 'hidden' || path !== field.name ? undefined : questionAt(reader.form, path);
      return question
        ? [
            acceptedView(
              field,
              displayValue(question, reader.answers[path], { lang: reader.lang, template: reader.form }),
            ),
          ]
        : [];
    }
    const reason = path === field.name && field.kind !== 'hidden' ? reasonOf(path) : undefined;
    const isUnchanged = isSameAnswer(submitted[path] ?? null, reader.answers[path] ?? null);
    if (reason === undefined || field.problem !== undefined) return [field];
    return [
      isUnchanged
        ? { ...field, problem: reason }
        : { ...field, hint: [reason, field.hint].filter(Boolean).join(' ') },
    ];
  };
  const groupItem = (item: Extract<EditorItem, { kind: 'group' }>): EditorItem => {
    const isClosed = isLocked(lock, orderPath(item.path));
    const reason = reasonOf(item.path);
    const ids = Object.keys(item.rows);
    return {
      ...item,
      ...(isClosed && { min: ids.length, max: ids.length }),
      ...(reason !== undefined && { problem: reason }),
      acceptedRows: ids.filter((id) => isLocked(lock, `${item.path}.${id}`)),
      rowNotes: Object.fromEntries(
        ids.flatMap((id) => {
          const why = reasonOf(`${item.path}.${id}`);
          return why === undefined ? [] : [[id, why]];
        }),
      ),
      rows: Object.fromEntries(
        Object.entries(item.rows).map(([id, row]) => [
          id,
          Object.fromEntries(Object.entries(row).map(([key, fields]) => [key, fields.flatMap(one)])),
        ]),
      ),
    };
  };
  const acceptedView = ({ name, label }: FieldView, value: string): FieldView => ({
    kind: 'note',
    name,
    label: t('acceptedAnswer', { question: label, answer: value === '' ? t('noAnswer') : value }),
    value: '',
  });
  return {
    ...section,
    items: section.items.map((item) =>
      item.kind === 'group' ? groupItem(item) : { ...item, fields: item.fields.flatMap(one) },
    ),
  };
}
