import type { FieldView } from '#platform/forms/forms.ts';
import { Icon } from '../Icon.tsx';

/** The ids of the hint and the error, to which a control refers. */
export const describedBy = (
  id: string,
  hint: string | undefined,
  problem: string | undefined,
): string | undefined =>
  [hint && `${id}-hint`, problem && `${id}-error`].filter(Boolean).join(' ') || undefined;

/** A label, and whether the field is optional. */
export const FieldLabel = ({ field: { label, optional } }: { field: FieldView }) => (
  <>
    {label}
    {optional && <small> ({optional})</small>}
  </>
);

/** The hint and the error of a field, as FieldNotes.astro renders them. */
export function FieldNotes({
  id,
  hint,
  problem,
}: {
  id: string;
  hint: string | undefined;
  problem: string | undefined;
}) {
  return (
    <>
      {hint && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {problem && (
        <p className="field-error" id={`${id}-error`}>
          <Icon name="circle-alert" />
          {problem}
        </p>
      )}
    </>
  );
}
