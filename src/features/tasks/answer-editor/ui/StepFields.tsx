import { useStore } from '@nanostores/react';
import { Fragment, type ReactNode } from 'react';
import type { EditorItem } from '#features/tasks/questionnaires/editor.ts';
import type { Answers } from '#features/tasks/questionnaires/questionnaires.ts';
import { isGroup, rowsOf } from '#features/tasks/questionnaires/rules.ts';
import type { FieldView } from '#platform/forms/forms.ts';
import type { T } from '#platform/text/messages.ts';
import { PostedField } from '#ui/form/PostedFields.tsx';
import type { AnswerQueue } from '../answer-queue.ts';
import { $remarks } from '../remarks.ts';
import { EditorGroup } from './EditorGroup.tsx';
import type { EditorWord } from './editor-messages.ts';
import { FileField } from './FileField.tsx';
import type { Uploads } from './use-uploads.ts';
import { LastYearButton } from './LastYearButton.tsx';
import type { StepEditorProps } from './step-editor.ts';
import { useLoaded } from './use-loaded.ts';
import type { Editing } from './use-editing.ts';

interface Props {
  step: StepEditorProps;
  answers: Answers;
  queue: AnswerQueue;
  editing: Editing;
  uploads: Uploads;
  t: T<EditorWord>;
}

/** The questions of the step that are asked for, and the comment, with the choices and buttons below their fields. */
export function StepFields({ step, answers, queue, editing, uploads, t }: Props) {
  const { formId, section, comment, isDisabled } = step;
  const conflicts = useStore(queue.$conflicts);
  const choice = useLoaded(Object.keys(conflicts).length > 0, () => import('./ConflictChoice.tsx'));
  const remarks = useStore($remarks, { ssr: 'initial' });
  const notes = useLoaded(Object.keys(remarks).length > 0, () => import('./Remarks.tsx'));
  const shown = new Map((editing.visible?.items ?? []).map((item) => [item.path, item]));

  const conflictAt = (path: string, isText: boolean): ReactNode =>
    conflicts[path] &&
    choice && (
      <choice.ConflictChoice
        conflict={conflicts[path]}
        page={step.page}
        locale={step.locale}
        t={t}
        onMine={() => editing.decide(path)}
        onBoth={isText ? (stored) => editing.decide(path, stored) : undefined}
      />
    );

  const remarksAt = (path: string): ReactNode =>
    notes && remarks[path] && <notes.Remarks remarks={remarks[path]} isWhole={path === ''} />;

  const fieldsFor = (fields: readonly FieldView[]): ReactNode =>
    fields.map((field, at) =>
      field.kind === 'slot' ? (
        <FileField
          key={field.name}
          {...step}
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
            <>
              {conflictAt(field.name, field.kind === 'textarea') ??
                (!isDisabled && field.kind !== 'hidden' && (
                  <LastYearButton offer={editing.lastYearAt(field.name)} {...{ formId, field, t }} />
                ))}
              {remarksAt(field.name)}
            </>
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
    return (
      <Fragment key={item.path}>
        <EditorGroup
          formId={formId}
          item={item}
          seen={seen && isGroup(seen) ? seen : undefined}
          rows={rowsOf(answers, item.path)}
          editing={editing}
          fieldsFor={fieldsFor}
        />
        {remarksAt(item.path)}
      </Fragment>
    );
  };

  return (
    <fieldset className="editor-fields" role="presentation" disabled={isDisabled}>
      {section.items.map(itemOf)}
      {remarksAt('')}
      {comment && (
        <PostedField
          formId={formId}
          field={comment.field}
          problemAt={editing.problemAt}
          addition={conflictAt(comment.path, true)}
        />
      )}
    </fieldset>
  );
}
