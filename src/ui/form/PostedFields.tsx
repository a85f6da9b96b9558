import { Fragment, type ReactNode } from 'react';
import { fieldId, type FieldView } from '#platform/forms.ts';
import { describedBy, FieldLabel, FieldNotes } from './FieldNotes.tsx';

/*
 * Renders the fields of a form that is posted, in an island, with the markup of FormField.astro. The controls keep their
 * own values, so that the form works before and without scripts; what helps in forms of pages (form/enhance.ts) helps
 * here too.
 */

interface Props {
  formId: string;
  field: FieldView;
  /** The message at a field, by its name. */
  problemAt: (name: string) => string | undefined;
  /** Content below a field. */
  addition?: ReactNode;
  /** A part of an address that may be left out as a whole. */
  isOptionalPart?: boolean;
}

export function PostedField({ formId, field, problemAt, addition, isOptionalPart = false }: Props) {
  const { name, label, hint } = field;
  const id = fieldId(formId, name);
  const problem = problemAt(name);
  const described = describedBy(id, hint, problem);
  const notes = <FieldNotes id={id} hint={hint} problem={problem} />;
  switch (field.kind) {
    case 'hidden':
      return <input type="hidden" name={name} defaultValue={field.value} />;
    case 'note':
      return <p className="field-note">{label}</p>;
    case 'checkbox':
      return (
        <div className="field">
          <label className="check">
            <input
              type="checkbox"
              id={id}
              name={name}
              aria-describedby={described}
              aria-invalid={problem ? true : undefined}
              defaultChecked={field.value}
            />
            {label}
          </label>
          {notes}
          {addition}
        </div>
      );
    case 'choices':
    case 'checkboxes':
      return (
        <fieldset className="field" id={id} tabIndex={-1} aria-describedby={described}>
          <legend>
            <FieldLabel field={field} />
          </legend>
          {notes}
          <div className={listClass(field)}>
            {field.choices.map((choice) => (
              <label className="check" key={choice.value}>
                <input
                  type={field.kind === 'choices' ? 'radio' : 'checkbox'}
                  name={name}
                  value={choice.value}
                  defaultChecked={
                    field.kind === 'choices'
                      ? field.value === choice.value
                      : field.value.includes(choice.value)
                  }
                  aria-invalid={problem ? true : undefined}
                />
                <span>
                  <bdi lang={choice.lang}>{choice.text}</bdi>
                  {choice.hint && <small className="hint">{choice.hint}</small>}
                </span>
              </label>
            ))}
          </div>
          {addition}
        </fieldset>
      );
    case 'date-selects':
      return (
        <fieldset
          className="field"
          id={id}
          tabIndex={-1}
          aria-describedby={described}
          data-date-selects=""
          data-min={field.min}
          data-max={field.max}
        >
          <legend>
            <FieldLabel field={field} />
          </legend>
          {notes}
          <div className="date-selects">
            {field.selects.map(({ part, label: partLabel, value, choices }) => (
              <label key={part}>
                {partLabel}
                <select
                  className="input"
                  name={`${name}.${part}`}
                  defaultValue={value}
                  aria-invalid={problem ? true : undefined}
                  data-part={part}
                >
                  <option value="" />
                  {choices.map((choice) => (
                    <option key={choice.value} value={choice.value}>
                      {choice.text}
                    </option>
                  ))}
                </select>
              </label>
            ))}
          </div>
          {addition}
        </fieldset>
      );
    case 'address':
      return (
        <fieldset
          className="field"
          id={id}
          tabIndex={-1}
          aria-describedby={described}
          data-address=""
          data-labels={JSON.stringify(field.labels)}
        >
          <legend>
            <FieldLabel field={field} />
          </legend>
          {notes}
          <div className="card stack">
            {field.parts.map((part, index) => (
              <Fragment key={part.name}>
                <PostedField
                  formId={formId}
                  field={part}
                  problemAt={problemAt}
                  isOptionalPart={field.optional !== undefined}
                />
                {index === 0 && (
                  <noscript>
                    <button className="button" name="form" value={`${formId}:country-${name}`} formNoValidate>
                      {field.update}
                    </button>
                  </noscript>
                )}
              </Fragment>
            ))}
          </div>
          {addition}
        </fieldset>
      );
    default:
      return (
        <div className="field" hidden={field.isHidden}>
          <label htmlFor={id}>
            <span>{label}</span>
            {field.optional && !isOptionalPart && <small> ({field.optional})</small>}
          </label>
          {notes}
          <Control
            field={field}
            id={id}
            describedBy={described}
            isInvalid={problem !== undefined}
            isRequired={!field.optional && !isOptionalPart}
          />
          {addition}
        </div>
      );
  }
}

const listClass = (field: Extract<FieldView, { kind: 'choices' | 'checkboxes' | 'select' }>) =>
  field.look === 'cards' ? 'choice-cards' : field.kind === 'checkboxes' ? 'scroll-box' : undefined;

interface ControlProps {
  field: FieldView;
  id: string;
  describedBy: string | undefined;
  isInvalid: boolean;
  isRequired: boolean;
}

/** The control of a field that has its label above it. */
function Control({ field, id, describedBy: described, isInvalid, isRequired }: ControlProps) {
  const control = {
    id,
    name: field.name,
    className: 'input',
    'aria-describedby': described,
    'aria-invalid': isInvalid ? (true as const) : undefined,
  };
  switch (field.kind) {
    case 'textarea':
      return (
        <textarea
          {...control}
          required={isRequired}
          rows={field.rows}
          maxLength={field.maxlength}
          defaultValue={field.value}
        />
      );
    case 'select':
      return (
        <select {...control} autoComplete={field.autocomplete} defaultValue={field.value}>
          {field.choices.map(({ value, text, lang }) => (
            <option key={value} value={value} lang={lang}>
              {text}
            </option>
          ))}
        </select>
      );
    case 'text': {
      const input = (
        <input
          {...control}
          type={field.type}
          defaultValue={field.value}
          required={isRequired}
          inputMode={field.inputmode}
          autoComplete={field.autocomplete}
          maxLength={field.maxlength}
          data-mask={field.mask}
          aria-describedby={
            field.unit === undefined ? described : [`${id}-unit`, described].filter(Boolean).join(' ')
          }
        />
      );
      if (field.unit === undefined) return input;
      return (
        <div className="with-unit">
          <span id={`${id}-unit`}>{field.unit}</span>
          {input}
        </div>
      );
    }
    case 'date':
      return (
        <input
          {...control}
          type="date"
          defaultValue={field.value}
          required={isRequired}
          min={field.min}
          max={field.max}
        />
      );
    default:
      return null; // what questions do not ask for
  }
}
