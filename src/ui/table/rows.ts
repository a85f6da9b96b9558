import { formatCellMoment } from '#platform/formats.ts';
import { iconMarkup } from '../icon-markup.ts';
import { attributes, markup, type Markup } from '../markup.ts';
import type { Column, RowAction, TableProps } from './table.ts';

/** A piece of the rows of a table: markup, or a cell that a component renders. */
type RowPart<Row> = Markup | { Cell: NonNullable<Column<Row>['cell']>; row: Row };

interface Moments {
  locale: string;
  timeZone: string;
}

/** Writes the rows of a table, in as few parts as there are cells of components between them. */
export function rowParts<Row>(table: TableProps<Row>, moments: Moments): RowPart<Row>[] {
  const { columns, rows, select, actions, isNew } = table;
  const cells = columns.map((column) => ({ column, ...edgesOf(column) }));
  const shared = sharedDataOf(table);
  const parts: RowPart<Row>[] = [];
  let written: Markup[] = [];
  for (const row of rows) {
    written.push(markup`<tr role="row"${attributes({ class: isNew?.(row) ? 'is-new' : undefined })}>`);
    if (select) written.push(pickOf(select, row, shared));
    for (const { column, startOf, end } of cells) {
      written.push(startOf(row));
      if (column.cell) {
        parts.push(markup`${written}`, { Cell: column.cell, row });
        written = [];
      } else written.push(contentOf(column, row, moments));
      written.push(besideOf(column, row), end);
    }
    if (actions) written.push(actionsOf(actions, row));
    written.push(markup`</tr>`);
  }
  return [...parts, markup`${written}`];
}

/** What most rows have in common is on the table, once; a row has what differs (selection.ts reads both). */
export function sharedDataOf<Row>({ rows, select }: TableProps<Row>): Readonly<Record<string, string>> {
  const [first] = rows;
  return first === undefined ? {} : { ...select?.dataOf?.(first) };
}

/** The class of the cells of a column. */
const classOfAll = <Row>({ isNumber, textStyle, isWide, isMinor }: Column<Row>): string =>
  [isNumber && 'number', textStyle, isWide && 'wide', isMinor && 'minor'].filter(Boolean).join(' ');

/** The start and the end of each cell of a column. */
function edgesOf<Row>(column: Column<Row>): { startOf: (row: Row) => Markup; end: Markup } {
  const { isRowHeader, isLabelled, label, classOf } = column;
  const common = classOfAll(column);
  const startWith = (ownClass: string | undefined): Markup => {
    const more = attributes({
      class: [common, ownClass].filter(Boolean).join(' ') || undefined,
      'data-label': isLabelled && !isRowHeader ? label : undefined,
    });
    return isRowHeader ? markup`<th scope="row" role="rowheader"${more}>` : markup`<td role="cell"${more}>`;
  };
  const start = startWith(undefined);
  return {
    startOf: (row) => (classOf ? startWith(classOf(row)) : start),
    end: isRowHeader ? markup`</th>` : markup`</td>`,
  };
}

function pickOf<Row>(
  select: NonNullable<TableProps<Row>['select']>,
  row: Row,
  shared: Readonly<Record<string, string>>,
): Markup {
  if (!(select.isSelectable?.(row) ?? true)) return markup`<td role="cell" class="cell-pick"></td>`;
  const more = attributes({
    form: select.form,
    checked: select.isSelected?.(row),
    ...ownData(select.dataOf?.(row) ?? {}, shared),
  });
  return markup`<td role="cell" class="cell-pick"><label class="pick"><input type="checkbox" name="${select.name}" value="${select.valueOf(row)}"${more}><span class="visually-hidden">${select.labelOf(row)}</span></label></td>`;
}

function ownData(
  data: Readonly<Record<string, string>>,
  shared: Readonly<Record<string, string>>,
): Record<string, string> {
  const own: Record<string, string> = {};
  for (const key in data) if (data[key] !== shared[key]) own[key] = data[key] ?? '';
  for (const key in shared) if (!(key in data)) own[key] = '';
  return own;
}

function contentOf<Row>(column: Column<Row>, row: Row, { locale, timeZone }: Moments): Markup {
  if (column.markup) return column.markup(row);
  const at = column.at?.(row);
  if (at !== undefined)
    return markup`<time datetime="${new Date(at).toISOString()}" data-local="cell">${formatCellMoment(locale, at, timeZone)}</time>`;
  const text = column.text?.(row) ?? '';
  if (text === '' || column.isNumber || column.isPlain) return markup`${text}`;
  if (column.isProblem?.(row))
    return markup`<strong class="cell-problem">${iconMarkup('circle-alert')} <bdi>${text}</bdi></strong>`;
  const href = column.href?.(row);
  return href === undefined ? markup`<bdi>${text}</bdi>` : markup`<a href="${href}"><bdi>${text}</bdi></a>`;
}

const NOTHING = markup``;

function besideOf<Row>(column: Column<Row>, row: Row): Markup {
  const note = column.note?.(row);
  const side = column.side?.(row);
  if (note === undefined && !side) return NOTHING;
  return markup`${note !== undefined && markup` <small class="cell-note"><bdi>${note}</bdi></small>`}${side && markup` <a class="cell-side" href="${side.href}">${side.label}</a>`}`;
}

function actionsOf<Row>({ of, nameOf }: NonNullable<TableProps<Row>['actions']>, row: Row): Markup {
  const written = of(row).map((action) => actionOf(action, nameOf(row)));
  return markup`<td role="cell" class="row-actions">${written}</td>`;
}

function actionOf(action: RowAction, name: string): Markup {
  const style = action.isDangerous ? 'button button-danger' : 'button';
  const text = markup`${action.label}<span class="visually-hidden"> ${name}</span>`;
  return 'href' in action
    ? markup`<a class="${style}" href="${action.href}">${text}</a>`
    : markup`<button class="${style}" name="${action.name}" value="${action.value}"${attributes({ form: action.form })}>${text}</button>`;
}
