import { FieldNotes } from '#ui/form/FieldNotes.tsx';
import { fieldId, type FieldView } from '#platform/forms/forms.ts';
import type { EditorWord } from './editor-messages.ts';
import { useLoaded } from './use-loaded.ts';
import type { Uploads } from './use-uploads.ts';
import type { StepEditorProps } from './step-editor.ts';

interface Props extends StepEditorProps {
  field: FieldView;
  problem: string | undefined;
  uploads: Uploads;
  t: (key: EditorWord, vars?: Record<string, string | number>) => string;
}

/** The documents of a question: as the page shows them, or the field alone in a new row. */
export function FileField(props: Props) {
  const { field, formId, fileSlots, problem, uploads, t } = props;
  const { name, label, hint, optional } = field;
  const slot = fileSlots[name];
  const id = fieldId(formId, name);
  const list = useLoaded(uploads.of(name).length > 0, () => import('./FileUploads.tsx'));
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
      {list && (
        <list.FileUploads
          path={name}
          uploads={uploads}
          words={props.fileWords}
          ownerWords={props.ownerWords}
          t={t}
        />
      )}
    </>
  );
}
