import { useMemo, useRef, useState } from 'react';
import type { Answers } from '#features/tasks/questionnaires/questionnaires.ts';
import { SignedOut, useSessionOver } from '#features/documents/uploads/ui/SignedOut.tsx';
import { fieldId } from '#platform/forms/forms.ts';
import { createTranslator } from '#platform/text/messages.ts';
import { VERSIONS_FIELD } from '../rules.ts';
import { useUploads } from './use-uploads.ts';
import { SavingStatus } from './SavingStatus.tsx';
import { StepFields } from './StepFields.tsx';
import type { StepEditorProps } from './step-editor.ts';
import { useAnswerQueue } from './use-answer-queue.ts';
import { useEditing } from './use-editing.ts';

/**
 * The questions of a step. The form is posted as a whole, with scripts and without; from the first touch on, every answer
 * is also saved a moment after it was typed, and questions appear and disappear with the answers that they depend on.
 */
export function StepEditor(props: StepEditorProps) {
  const { formId, hidden, isDisabled } = props;
  const t = useMemo(() => createTranslator(props.words), [props.words]);
  const form = useRef<HTMLFormElement>(null);
  const queue = useAnswerQueue(props);
  const [answers, setAnswers] = useState<Answers>(props.section.answers);
  const uploads = useUploads(props, queue);
  const files = useMemo(() => createTranslator(props.fileWords), [props.fileWords]);
  const own = useMemo(() => createTranslator(props.ownerWords), [props.ownerWords]);
  const editing = useEditing(props, { form, queue, answers, setAnswers, uploads });
  const isOver = useSessionOver(
    () => queue.hasSensitive() || uploads.hasUnsent(),
    () => {
      void queue.flush();
      uploads.resume();
    },
  );

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
        <StepFields {...{ answers, queue, editing, uploads, t }} step={props} />
        <div className="actions">
          <SavingStatus {...{ queue, t, files, own }} viewingText={props.viewingText} />
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
