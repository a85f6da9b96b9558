import { formatCellMoment } from '#platform/text/formats.ts';
import { shortMoment } from '#platform/text/short-moment.ts';
import type { Chip } from '../chips.ts';
import { iconMarkup } from '../icon-markup.ts';
import { attributes, markup, type Markup } from '../markup.ts';
import type { Column, RowAction, TableProps } from './table.ts';

/** A piece of the rows of a table: markup, or a cell that a component renders. */
type RowPart<Row> = Markup | { Cell: NonNullable<Column<Row>['cell']>; row: Row };

interface Moments {
  locale: string;
  timeZone: string;
  /** The present (epoch ms), for short moments. */
  now?: number | undefined;
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
      written.push(noteOf(column, row), end);
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
const classOfAll = <Row>({ isNumber, textStyle, isWide, isMinor, isShort }: Column<Row>): string =>
  [isNumber && 'number', textStyle, isWide && 'wide', isMinor && 'minor', isShort && 'short']
    .filter(Boolean)
    .join(' ');

/** The start and the end of each cell of a column. */
function edgesOf<Row>(column: Column<Row>): { startOf: (row: Row) => Markup; end: Markup } {
  const { isRowHeader, isLabelled, label, classOf, title } = column;
  const common = classOfAll(column);
  const startWith = (ownClass?: string, ownTitle?: string): Markup => {
    const more = attributes({
      class: [common, ownClass].filter(Boolean).join(' ') || undefined,
      'data-label': isLabelled && !isRowHeader ? label : undefined,
      title: ownTitle,
    });
    return isRowHeader ? markup`<th scope="row" role="rowheader"${more}>` : markup`<td role="cell"${more}>`;
  };
  const start = startWith();
  return {
    startOf: (row) => (classOf || title ? startWith(classOf?.(row), title?.(row)) : start),
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

function contentOf<Row>(column: Column<Row>, row: Row, moments: Moments): Markup {
  if (column.markup) return column.markup(row);
  const at = column.at?.(row);
  if (at !== undefined) return momentOf(column, at, moments);
  const text = column.text?.(row) ?? '';
  const chip = column.chip?.(row);
  if (chip) return chipOf(chip, text, column.note?.(row));
  const href = column.href?.(row);
  if (text === '' || column.isPlain || (column.isNumber && href === undefined)) return markup`${text}`;
  const linked =
    href === undefined ? markup`<bdi>${text}</bdi>` : markup`<a href="${href}"><bdi>${text}</bdi></a>`;
  return column.isProblem?.(row)
    ? markup`<strong class="cell-problem">${iconMarkup('circle-alert')} ${linked}</strong>`
    : linked;
}

function momentOf<Row>(
  { isShortMoment }: Column<Row>,
  at: number | string,
  { locale, timeZone, now = 0 }: Moments,
): Markup {
  const when = new Date(at);
  const whole = formatCellMoment(locale, at, timeZone);
  return isShortMoment
    ? markup`<time datetime="${when.toISOString()}" title="${whole}" data-short>${shortMoment(locale, when.getTime(), { now, timeZone })}</time>`
    : markup`<time datetime="${when.toISOString()}" data-local="cell">${whole}</time>`;
}

/** Chip.astro in a row. */
const chipOf = ({ tone, icon }: Chip, text: string, note: string | undefined): Markup =>
  markup`<span class="state-chip" data-tone="${tone}">${iconMarkup(icon)}<bdi>${text}</bdi>${note !== undefined && markup` <small>${note}</small>`}</span>`;

const NOTHING = markup``;

function noteOf<Row>(column: Column<Row>, row: Row): Markup {
  const note = column.chip?.(row) ? undefined : column.note?.(row);
  return note === undefined ? NOTHING : markup` <small class="cell-note"><bdi>${note}</bdi></small>`;
}

function actionsOf<Row>({ of, nameOf, menu }: NonNullable<TableProps<Row>['actions']>, row: Row): Markup {
  const isInMenu = (action: RowAction): boolean => menu !== undefined && (menu.has?.(action) ?? true);
  const { inMenu = [], beside = [] } = Object.groupBy(of(row), (action) =>
    isInMenu(action) ? 'inMenu' : 'beside',
  );
  const written = markup`${beside.map((action) => actionOf(action, buttonStyle(action), nameOf(row)))}${menu && inMenu.length > 0 && menuOf(inMenu, { id: menu.idOf(row), label: menu.labelOf(row) })}`;
  return markup`<td role="cell" class="row-actions">${written}</td>`;
}

/** A button that opens a menu, which works without scripts: acts-menu.css. */
const menuOf = (actions: readonly RowAction[], { id, label }: { id: string; label: string }): Markup =>
  markup`<button type="button" class="button button-quiet button-icon" popovertarget="menu-${id}" aria-label="${label}">${iconMarkup('ellipsis-vertical')}</button><ul id="menu-${id}" popover class="acts-menu">${actions.map((action) => markup`<li>${actionOf(action, undefined)}</li>`)}</ul>`;

const buttonStyle = ({ isDangerous }: RowAction): string => (isDangerous ? 'button button-danger' : 'button');

function actionOf(action: RowAction, style: string | undefined, name?: string): Markup {
  const text = markup`${action.label}${name !== undefined && markup`<span class="visually-hidden"> ${name}</span>`}`;
  const more = attributes({ class: style });
  return 'href' in action
    ? markup`<a${more} href="${action.href}">${text}</a>`
    : markup`<button${more} name="${action.name}" value="${action.value}"${attributes({ form: action.form })}>${text}</button>`;
}
