import type { ReactNode, Ref } from 'react';
import { fieldId, type FieldView, type FormView, type Problem } from '#platform/forms.ts';

/*
 * Renders the fields of a form in an island, from the same view as Form.astro. The island owns the values and errors.
 */

type Value = string | boolean | readonly string[];
export type FormValues = Record<string, Value>;

interface Props {
  form: FormView;
  values: FormValues;
  problems: readonly Problem[];
  onChange: (name: string, value: Value) => void;
  /** The names of disabled fields. */
  disabled?: readonly string[];
  /** Content below a field, such as a button, by the field's name. */
  additions?: Record<string, ReactNode>;
  firstField?: Ref<HTMLInputElement>;
}

export function FormFields({
  form,
  values,
  problems,
  onChange,
  disabled = [],
  additions = {},
  firstField,
}: Props) {
  return form.fields.map((field, index) => (
    <FormField
      key={field.name}
      id={fieldId(form.id, field.name)}
      field={field}
      value={values[field.name] ?? ''}
      problem={problems.find((problem) => problem.field === field.name)?.text}
      onChange={(value) => onChange(field.name, value)}
      isDisabled={disabled.includes(field.name)}
      inputRef={index === 0 ? firstField : undefined}
    >
      {additions[field.name]}
    </FormField>
  ));
}

/** The error summary, each line a link to its field. */
export function ProblemSummary({
  form,
  problems,
  summaryRef,
}: Pick<Props, 'form' | 'problems'> & { summaryRef: Ref<HTMLDivElement> }) {
  if (problems.length === 0) return null;
  return (
    <div className="error-summary" role="alert" tabIndex={-1} ref={summaryRef}>
      <h3>{form.problemTitle}</h3>
      <ul>
        {problems.map(({ field, text, link }) => (
          <li key={field ?? text}>
            {field === undefined ? text : <a href={`#${fieldId(form.id, field)}`}>{text}</a>}{' '}
            {link && (
              <a href={link.href} target="_blank">
                {link.text}
              </a>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

interface FieldProps {
  id: string;
  field: FieldView;
  value: Value;
  problem: string | undefined;
  onChange: (value: Value) => void;
  isDisabled: boolean;
  inputRef: Ref<HTMLInputElement> | undefined;
  children: ReactNode;
}

function FormField({ id, field, value, problem, onChange, isDisabled, inputRef, children }: FieldProps) {
  const { label, hint, optional } = field;
  const described = [hint && `${id}-hint`, problem && `${id}-error`].filter(Boolean).join(' ') || undefined;
  const control = {
    id,
    disabled: isDisabled,
    'aria-describedby': described,
    'aria-invalid': problem !== undefined,
    onChange: (event: { target: { value: string } }) => onChange(event.target.value),
  };
  const notes = (
    <>
      {hint && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {problem && (
        <p className="field-error" id={`${id}-error`}>
          {problem}
        </p>
      )}
    </>
  );
  if (field.kind === 'checkbox')
    return (
      <div className="field">
        <label className="check">
          <input
            {...control}
            type="checkbox"
            checked={value === true}
            onChange={(event) => onChange(event.target.checked)}
          />
          {label}
        </label>
        {notes}
        {children}
      </div>
    );
  const text = typeof value === 'string' ? value : '';
  return (
    <div className="field">
      <label htmlFor={id}>
        {label}
        {optional && <small> ({optional})</small>}
      </label>
      {notes}
      {field.kind === 'textarea' && (
        <textarea {...control} className="input" rows={field.rows} maxLength={field.maxlength} value={text} />
      )}
      {field.kind === 'select' && (
        <select {...control} className="input" value={text}>
          {field.choices.map((choice) => (
            <option key={choice.value} value={choice.value} lang={choice.lang}>
              {choice.text}
            </option>
          ))}
        </select>
      )}
      {field.kind === 'text' && (
        <input
          {...control}
          ref={inputRef}
          className="input"
          type={field.type}
          inputMode={field.inputmode}
          autoComplete={field.autocomplete}
          maxLength={field.maxlength}
          required={!optional}
          value={text}
        />
      )}
      {children}
    </div>
  );
}
