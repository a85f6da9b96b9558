import type { ReactNode, Ref } from 'react';
import { fieldId, type FieldView, type FormView, type Problem } from '#platform/forms/forms.ts';
import { choosableParts, dateOfParts, datePartsOf, type DateParts } from '#platform/inputs/dates.ts';
import { withMask } from '#platform/inputs/masks.ts';
import { describedBy, FieldLabel, FieldNotes } from './FieldNotes.tsx';

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
  children?: ReactNode;
}

function FormField(props: FieldProps) {
  const { id, field, value, problem, onChange, isDisabled, children } = props;
  if (field.kind === 'hidden') return null; // its value is the island's own
  const notes = <FieldNotes id={id} hint={field.hint} problem={problem} />;
  if (field.kind === 'choices' || field.kind === 'checkboxes')
    return (
      <fieldset
        className="field"
        id={id}
        tabIndex={-1}
        aria-describedby={describedBy(id, field.hint, problem)}
      >
        <legend>
          <FieldLabel field={field} />
        </legend>
        {notes}
        <div className={field.kind === 'checkboxes' ? 'scroll-box' : undefined}>
          {field.choices.map((choice) => (
            <label className="check" key={choice.value}>
              <input
                type={field.kind === 'choices' ? 'radio' : 'checkbox'}
                name={id}
                value={choice.value}
                disabled={isDisabled}
                aria-invalid={problem !== undefined}
                checked={listOf(value).includes(choice.value)}
                onChange={({ target }) =>
                  onChange(
                    field.kind === 'choices'
                      ? choice.value
                      : field.choices
                          .map((each) => each.value)
                          .filter((each) =>
                            each === choice.value ? target.checked : listOf(value).includes(each),
                          ),
                  )
                }
              />
              <bdi lang={choice.lang}>{choice.text}</bdi>
            </label>
          ))}
        </div>
        {children}
      </fieldset>
    );
  if (field.kind === 'date-selects')
    return (
      <fieldset
        className="field"
        id={id}
        tabIndex={-1}
        aria-describedby={describedBy(id, field.hint, problem)}
      >
        <legend>
          <FieldLabel field={field} />
        </legend>
        {notes}
        <DateSelects {...props} field={field} value={typeof value === 'string' ? value : ''} />
        {children}
      </fieldset>
    );
  if (field.kind === 'checkbox')
    return (
      <div className="field">
        <label className="check">
          <input
            type="checkbox"
            {...controlOf(props)}
            checked={value === true}
            onChange={({ target }) => onChange(target.checked)}
          />
          {field.label}
        </label>
        {notes}
        {children}
      </div>
    );
  return (
    <div className="field">
      <label htmlFor={id}>
        <FieldLabel field={field} />
      </label>
      {notes}
      <Control {...props} />
      {children}
    </div>
  );
}

/** The selects of a date, which offer only days that the chosen month has. */
function DateSelects({
  field,
  value,
  problem,
  onChange,
  isDisabled,
}: FieldProps & { field: Extract<FieldView, { kind: 'date-selects' }>; value: string }) {
  const parts = datePartsOf(value);
  const { months, days } = choosableParts(parts, field);
  const isOffered = (part: keyof DateParts, each: string): boolean =>
    part === 'year' || (part === 'month' ? months : days).includes(each);
  return (
    <div className="date-selects">
      {field.selects.map(({ part, label, choices }) => (
        <label key={part}>
          {label}
          <select
            className="input"
            value={isOffered(part, parts[part]) ? parts[part] : ''}
            disabled={isDisabled}
            aria-invalid={problem !== undefined}
            onChange={({ target }) => onChange(dateOfParts({ ...parts, [part]: target.value }))}
          >
            <option value="" />
            {choices
              .filter((choice) => isOffered(part, choice.value))
              .map((choice) => (
                <option key={choice.value} value={choice.value}>
                  {choice.text}
                </option>
              ))}
          </select>
        </label>
      ))}
    </div>
  );
}

/** The control of a field that has one line of label above it. */
function Control(props: FieldProps) {
  const { field, value, onChange, inputRef } = props;
  const text = typeof value === 'string' ? value : '';
  const control = {
    ...controlOf(props),
    className: 'input',
    value: text,
    onChange: ({ target }: { target: { value: string } }) => onChange(target.value),
  };
  switch (field.kind) {
    case 'textarea':
      return (
        <textarea {...control} rows={field.rows} maxLength={field.maxlength} required={!field.optional} />
      );
    case 'select':
      return (
        <select {...control}>
          {field.choices.map((choice) => (
            <option key={choice.value} value={choice.value} lang={choice.lang}>
              {choice.text}
            </option>
          ))}
        </select>
      );
    case 'text': {
      const { mask, unit, suggestions } = field;
      const list = suggestions && `${props.id}-list`;
      const input = (
        <input
          {...control}
          ref={inputRef}
          type={field.type}
          inputMode={field.inputmode}
          autoComplete={field.autocomplete}
          maxLength={field.maxlength}
          required={!field.optional}
          onBlur={mask && (() => onChange(withMask(mask, text)))}
          list={list}
        />
      );
      if (suggestions)
        return (
          <>
            {input}
            <datalist id={list}>
              {suggestions.map((suggestion) => (
                <option key={suggestion} value={suggestion} />
              ))}
            </datalist>
          </>
        );
      if (unit === undefined) return input;
      return (
        <div className="with-unit">
          <span aria-hidden="true">{unit}</span>
          {input}
        </div>
      );
    }
    case 'password':
      return (
        <input
          {...control}
          type="password"
          autoComplete={field.autocomplete}
          maxLength={field.maxlength}
          required={!field.optional}
        />
      );
    case 'date':
      return <input {...control} type="date" min={field.min} max={field.max} required={!field.optional} />;
    default:
      return null; // files and groups are for pages: an island uploads with the uploader and has rows of its own
  }
}

const listOf = (value: Value): readonly string[] =>
  typeof value === 'string' ? [value] : Array.isArray(value) ? (value as readonly string[]) : [];

const controlOf = (props: FieldProps) => ({
  id: props.id,
  disabled: props.isDisabled,
  'aria-describedby': describedBy(props.id, props.field.hint, props.problem),
  'aria-invalid': props.problem !== undefined,
});
