import { Fragment, type ReactNode } from 'react';
import { fieldId, type FieldView } from '#platform/forms/forms.ts';
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
  const group = { field, id, described, notes, addition };
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
        <FieldGroup {...group}>
          <Choices field={field} isInvalid={Boolean(problem)} />
        </FieldGroup>
      );
    case 'date-selects':
      return (
        <FieldGroup
          {...group}
          attributes={{ 'data-date-selects': '', 'data-min': field.min, 'data-max': field.max }}
        >
          <DateSelects field={field} isInvalid={Boolean(problem)} />
        </FieldGroup>
      );
    case 'address':
      return (
        <FieldGroup
          {...group}
          attributes={{ 'data-address': '', 'data-labels': JSON.stringify(field.labels) }}
        >
          <AddressParts {...{ formId, field, problemAt }} />
        </FieldGroup>
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

interface GroupProps {
  field: FieldView;
  id: string;
  described: string | undefined;
  notes: ReactNode;
  addition: ReactNode;
  /** What tells the scripts of forms which controls the group has. */
  attributes?: Readonly<Record<`data-${string}`, string | undefined>>;
  children: ReactNode;
}

/** A field with several controls, whose legend is its label. */
const FieldGroup = ({ field, id, described, notes, addition, attributes, children }: GroupProps) => (
  <fieldset className="field" id={id} tabIndex={-1} aria-describedby={described} {...attributes}>
    <legend>
      <FieldLabel field={field} />
    </legend>
    {notes}
    {children}
    {addition}
  </fieldset>
);

interface PartsProps<Kind extends FieldView['kind']> {
  field: Extract<FieldView, { kind: Kind }>;
  isInvalid: boolean;
}

const Choices = ({ field, isInvalid }: PartsProps<'choices' | 'checkboxes' | 'select'>) => (
  <div className={listClass(field)}>
    {field.choices.map((choice) => (
      <label className="check" key={choice.value}>
        <input
          type={field.kind === 'checkboxes' ? 'checkbox' : 'radio'}
          name={field.name}
          value={choice.value}
          defaultChecked={
            field.kind === 'checkboxes' ? field.value.includes(choice.value) : field.value === choice.value
          }
          aria-invalid={isInvalid || undefined}
        />
        <span>
          <bdi lang={choice.lang}>{choice.text}</bdi>
          {choice.hint && <small className="hint">{choice.hint}</small>}
        </span>
      </label>
    ))}
  </div>
);

const listClass = (field: PartsProps<'choices' | 'checkboxes' | 'select'>['field']) =>
  field.look === 'cards' ? 'choice-cards' : field.kind === 'checkboxes' ? 'scroll-box' : undefined;

const DateSelects = ({ field, isInvalid }: PartsProps<'date-selects'>) => (
  <div className="date-selects">
    {field.selects.map(({ part, label, value, choices }) => (
      <label key={part}>
        {label}
        <select
          className="input"
          name={`${field.name}.${part}`}
          defaultValue={value}
          aria-invalid={isInvalid || undefined}
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
);

interface AddressProps extends Pick<Props, 'formId' | 'problemAt'> {
  field: Extract<FieldView, { kind: 'address' }>;
}

/** The fields of an address; without scripts a button shows those of the chosen country. */
const AddressParts = ({ formId, field, problemAt }: AddressProps) => (
  <div className="card stack">
    {field.parts.map((part, index) => (
      <Fragment key={part.name}>
        <PostedField {...{ formId, problemAt }} field={part} isOptionalPart={field.optional !== undefined} />
        {index === 0 && (
          <noscript>
            <button className="button" name="form" value={`${formId}:country-${field.name}`} formNoValidate>
              {field.update}
            </button>
          </noscript>
        )}
      </Fragment>
    ))}
  </div>
);

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
          data-lookup={field.lookup}
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
