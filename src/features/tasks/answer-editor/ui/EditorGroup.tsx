import type { ReactNode } from 'react';
import { fieldsOfRow, type EditorItem } from '#features/tasks/questionnaires/editor.ts';
import { orderPath, type VisibleGroup } from '#features/tasks/questionnaires/rules.ts';
import { fieldId, type FieldView } from '#platform/forms/forms.ts';
import { FieldNotes } from '#ui/form/FieldNotes.tsx';
import { lastYearButton } from '../rules.ts';
import type { Editing } from './use-editing.ts';

interface Props {
  formId: string;
  item: Extract<EditorItem, { kind: 'group' }>;
  /** Undefined while the group is not asked for. */
  seen: VisibleGroup | undefined;
  /** The ids of its rows, in their order. */
  rows: readonly string[];
  editing: Editing;
  fieldsFor: (fields: readonly FieldView[]) => ReactNode;
}

/** A group of questions that is answered any number of times, a row each. */
export function EditorGroup({ formId, item, seen, rows, editing, fieldsFor }: Props) {
  const shown = new Set(seen?.rows.flatMap(({ questions }) => questions.map(({ path }) => path)));
  return (
    <fieldset className="field" id={fieldId(formId, item.path)} tabIndex={-1} hidden={seen === undefined}>
      <legend>{item.label}</legend>
      <FieldNotes id={fieldId(formId, item.path)} hint={item.hint} problem={editing.problemAt(item.path)} />
      <input type="hidden" name={orderPath(item.path)} defaultValue="" />
      <input type="hidden" name={`${item.path}.count`} value={rows.length} readOnly />
      {rows.map((id, at) => {
        const name = item.row.replace('{{number}}', String(at + 1));
        return (
          <div
            className="card stack"
            role="group"
            aria-label={name}
            key={id}
            id={fieldId(formId, `${item.path}.${id}`)}
            tabIndex={-1}
            data-row={id}
          >
            <input type="hidden" name={orderPath(item.path)} defaultValue={id} />
            {item.rowNotes?.[id] !== undefined && <p className="field-note">{item.rowNotes[id]}</p>}
            {Object.entries(item.blank).map(([key, blank]) => {
              const path = `${item.path}.${id}.${key}`;
              if (!shown.has(path) && !editing.wasShown(path)) return null;
              return (
                <div key={key} className="editor-item" hidden={!shown.has(path)}>
                  {fieldsFor(item.rows[id]?.[key] ?? fieldsOfRow(blank, id))}
                </div>
              );
            })}
            {rows.length > item.min && !item.acceptedRows?.includes(id) && (
              <button
                className="button"
                name="form"
                value={`${formId}:remove-${item.path}-${at}`}
                formNoValidate
                onClick={(event) => editing.removeRow(event, item.path, id)}
              >
                {item.remove} <span className="visually-hidden">{name}</span>
              </button>
            )}
          </div>
        );
      })}
      {rows.length < item.max && (
        <p>
          <button
            className="button"
            name="form"
            value={`${formId}:add-${item.path}`}
            formNoValidate
            onClick={(event) => editing.addRow(event, item.path)}
          >
            {item.add}
          </button>
        </p>
      )}
      {rows.length < item.max &&
        Object.entries(item.lastRows ?? {}).map(
          ([id, text]) =>
            !rows.includes(id) && (
              <p key={id}>
                <button
                  className="button"
                  name="form"
                  value={lastYearButton(formId, `${item.path}.${id}`)}
                  formNoValidate
                >
                  {text}
                </button>
              </p>
            ),
        )}
    </fieldset>
  );
}
