import { useStore } from '@nanostores/react';
import { useMemo, useRef, useState, type ReactNode } from 'react';
import type { EditorItem } from '#features/questionnaires/editor.ts';
import type { Answers } from '#features/questionnaires/questionnaires.ts';
import { isGroup, rowsOf } from '#features/questionnaires/rules.ts';
import { SignedOut, useSessionOver } from '#features/uploads/ui/SignedOut.tsx';
import { fieldId, type FieldView } from '#platform/forms.ts';
import { createTranslator } from '#platform/messages.ts';
import { PostedField } from '#ui/form/PostedFields.tsx';
import { VERSIONS_FIELD } from '../rules.ts';
import { ConflictChoice } from './ConflictChoice.tsx';
import { EditorGroup } from './EditorGroup.tsx';
import { FileField } from './FileField.tsx';
import { useUploads } from './FileUploads.tsx';
import { LastYearButton } from './LastYearButton.tsx';
import { SavingStatus } from './SavingStatus.tsx';
import type { StepEditorProps } from './step-editor.ts';
import { useAnswerQueue } from './use-answer-queue.ts';
import { useEditing } from './use-editing.ts';

/**
 * The questions of a step. The form is posted as a whole, with scripts and without; from the first touch on, every answer
 * is also saved a moment after it was typed, and questions appear and disappear with the answers that they depend on.
 */
export function StepEditor(props: StepEditorProps) {
  const { formId, section, comment, hidden, isDisabled } = props;
  const t = useMemo(() => createTranslator(props.words), [props.words]);
  const form = useRef<HTMLFormElement>(null);
  const queue = useAnswerQueue(props);
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
  const shown = new Map((editing.visible?.items ?? []).map((item) => [item.path, item]));

  const conflictAt = (path: string, isText: boolean): ReactNode =>
    conflicts[path] && (
      <ConflictChoice
        conflict={conflicts[path]}
        page={props.page}
        locale={props.locale}
        t={t}
        onMine={() => editing.decide(path)}
        onBoth={isText ? (stored) => editing.decide(path, stored) : undefined}
      />
    );

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
            conflictAt(field.name, field.kind === 'textarea') ??
            (!isDisabled && field.kind !== 'hidden' && (
              <LastYearButton offer={editing.lastYearAt(field.name)} {...{ formId, field, t }} />
            ))
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
      <EditorGroup
        key={item.path}
        formId={formId}
        item={item}
        seen={seen && isGroup(seen) ? seen : undefined}
        rows={rowsOf(answers, item.path)}
        editing={editing}
        fieldsFor={fieldsFor}
      />
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
        <fieldset className="editor-fields" role="presentation" disabled={isDisabled}>
          {section.items.map(itemOf)}
          <PostedField
            formId={formId}
            field={comment.field}
            problemAt={editing.problemAt}
            addition={conflictAt(comment.path, true)}
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
