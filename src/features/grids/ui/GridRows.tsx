import { memo, useEffect, useLayoutEffect, useRef } from 'react';
import { Icon } from '#ui/Icon.tsx';
import { clockLocale } from '#platform/clock-locale.ts';
import type { T } from '#platform/messages.ts';
import type { Cell, GridRow, GroupRow } from '../grids.ts';
import type { GridWord } from './grid-words.ts';
import type { OpenMenu } from './RowMenu.tsx';

export interface GridColumnView {
  key: string;
  label: string;
  type: string;
  // missing where false, since they are in the page
  isRowHeader?: boolean;
  isSortable?: boolean;
  /** Secondary data in small type. */
  isMeta?: boolean;
}

/** What all rows have in common. */
export interface Look {
  t: T<GridWord>;
  columns: readonly GridColumnView[];
  canSelect: boolean;
  locale: string;
}

const tabIndexOf = (focused: number | undefined, column: number): 0 | -1 => (focused === column ? 0 : -1);

/** Gives the columns the widths that they had in the page's table, where it has the same ones. */
export function Columns({ widths, count }: { widths: readonly number[]; count: number }) {
  const group = useRef<HTMLTableColElement>(null);
  const isSame = widths.length === count;
  useLayoutEffect(() => {
    for (const [at, column] of [...(group.current?.children ?? [])].entries())
      if (column instanceof HTMLElement) column.style.inlineSize = isSame ? `${widths[at] ?? 0}px` : '';
  }, [widths, isSame]);
  return (
    <colgroup ref={group}>
      {Array.from({ length: count }, (_, at) => (
        <col key={at} />
      ))}
    </colgroup>
  );
}

interface HeadingProps {
  look: Look;
  sort: string;
  focused: number | undefined;
  hasActions: boolean;
  selected: 'all' | 'some' | 'none';
  onSelectAll: () => void;
  onSort: (key: string) => void;
}

export function Heading({ look, sort, focused, hasActions, selected, onSelectAll, onSort }: HeadingProps) {
  const { t, columns, canSelect } = look;
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (box.current) box.current.indeterminate = selected === 'some';
  }, [selected]);
  const [first = ''] = sort.split(',');
  const before = Number(canSelect);
  return (
    <thead>
      <tr aria-rowindex={1}>
        {canSelect && (
          <th scope="col" className="cell-pick" aria-colindex={1} tabIndex={tabIndexOf(focused, 0)}>
            <label className="pick">
              <input
                ref={box}
                type="checkbox"
                tabIndex={-1}
                checked={selected === 'all'}
                onChange={onSelectAll}
              />
              <span className="visually-hidden">{t('selectAll')}</span>
            </label>
          </th>
        )}
        {columns.map((column, at) => {
          const { key, label, isSortable } = column;
          const isSorted = first.replace(/^-/, '') === key;
          const isDown = first.startsWith('-');
          return (
            <th
              key={key}
              scope="col"
              className={classOf(column)}
              aria-colindex={at + before + 1}
              aria-sort={isSorted ? (isDown ? 'descending' : 'ascending') : undefined}
              tabIndex={tabIndexOf(focused, at + before)}
            >
              {isSortable ? (
                <button type="button" className="grid-sort" tabIndex={-1} onClick={() => onSort(key)}>
                  {label}
                  {isSorted && <Icon name={isDown ? 'arrow-down' : 'arrow-up'} />}
                </button>
              ) : (
                label
              )}
            </th>
          );
        })}
        {hasActions && (
          <th
            scope="col"
            className="grid-actions"
            aria-colindex={columns.length + before + 1}
            tabIndex={tabIndexOf(focused, columns.length + before)}
          >
            <span className="visually-hidden">{t('actions')}</span>
          </th>
        )}
      </tr>
    </thead>
  );
}

const classOf = ({ type, isMeta }: GridColumnView) =>
  [type === 'number' && 'number', (type === 'time' || isMeta) && 'meta'].filter(Boolean).join(' ') ||
  undefined;

interface RowProps {
  look: Look;
  index: number;
  row: GridRow;
  level: number | undefined;
  focused: number | undefined;
  hasActions: boolean;
  isSelected: boolean;
  onSelect: (id: string) => void;
  onMenu: (menu: OpenMenu) => void;
}

/** As many actions of a row are buttons; more are in a menu. */
const MAX_INLINE = 2;

/** A row. Drawn anew only when something of it changes: callers pass functions that do the same. */
export const Row = memo(
  function Row({ look, index, row, level, focused, hasActions, isSelected, onSelect, onMenu }: RowProps) {
    const { t, columns, canSelect, locale } = look;
    const before = Number(canSelect);
    return (
      <tr
        aria-rowindex={index + 2}
        aria-level={level}
        aria-selected={canSelect ? isSelected : undefined}
        className={row.isNew ? 'is-new' : undefined}
      >
        {canSelect && (
          <td className="cell-pick" role="gridcell" aria-colindex={1} tabIndex={tabIndexOf(focused, 0)}>
            <label className="pick">
              <input type="checkbox" tabIndex={-1} checked={isSelected} onChange={() => onSelect(row.id)} />
              <span className="visually-hidden">{t('selectRow', { name: row.name })}</span>
            </label>
          </td>
        )}
        {columns.map((column, at) => {
          const cell = row.cells[column.key];
          const common = {
            className: classOf(column),
            'aria-colindex': at + before + 1,
            tabIndex: tabIndexOf(focused, at + before),
            title: cell && [cell.text, cell.note].filter(Boolean).join(' · '),
          };
          const content = cell && <CellContent cell={cell} locale={locale} />;
          return column.isRowHeader ? (
            <th key={column.key} scope="row" role="rowheader" {...common}>
              {content}
            </th>
          ) : (
            <td key={column.key} role="gridcell" {...common}>
              {content}
            </td>
          );
        })}
        {hasActions && (
          <td
            className="grid-actions"
            role="gridcell"
            aria-colindex={columns.length + before + 1}
            tabIndex={tabIndexOf(focused, columns.length + before)}
          >
            {row.actions.length <= MAX_INLINE ? (
              row.actions.map((action) => {
                const text = (
                  <>
                    {action.label}
                    <span className="visually-hidden"> {row.name}</span>
                  </>
                );
                return 'href' in action ? (
                  <a key={action.label} className="button" href={action.href} tabIndex={-1}>
                    {text}
                  </a>
                ) : (
                  <button
                    key={action.label}
                    className="button"
                    name={action.name}
                    value={action.value}
                    form={action.form}
                    tabIndex={-1}
                  >
                    {text}
                  </button>
                );
              })
            ) : (
              <button
                type="button"
                className="button button-quiet button-icon"
                tabIndex={-1}
                aria-haspopup="menu"
                aria-label={t('rowActions', { name: row.name })}
                onClick={({ currentTarget }) => onMenu({ row, at: currentTarget })}
              >
                <Icon name="ellipsis-vertical" />
              </button>
            )}
          </td>
        )}
      </tr>
    );
  },
  (one, other) =>
    one.look === other.look &&
    one.index === other.index &&
    one.row === other.row &&
    one.focused === other.focused &&
    one.hasActions === other.hasActions &&
    one.isSelected === other.isSelected,
);

const formats = new Map<string, Intl.DateTimeFormat>();

function momentOf(locale: string, at: number): string {
  const format =
    formats.get(locale) ??
    new Intl.DateTimeFormat(clockLocale(locale), { dateStyle: 'medium', timeStyle: 'short' });
  formats.set(locale, format);
  return format.format(at);
}

interface CellContentProps {
  cell: Cell;
  locale: string;
}

function CellContent({ cell: { text, href, at, note, side, isProblem }, locale }: CellContentProps) {
  return (
    <>
      {at !== undefined ? (
        <time dateTime={new Date(at).toISOString()}>{momentOf(locale, at)}</time>
      ) : isProblem ? (
        <strong className="cell-problem">
          <Icon name="circle-alert" /> <bdi>{text}</bdi>
        </strong>
      ) : href === undefined ? (
        <bdi>{text}</bdi>
      ) : (
        <a href={href} tabIndex={-1}>
          <bdi>{text}</bdi>
        </a>
      )}
      {note !== undefined && (
        <>
          {' '}
          <small className="cell-note">
            <bdi>{note}</bdi>
          </small>
        </>
      )}
      {side && (
        <>
          {' '}
          <a className="cell-side" href={side.href} tabIndex={-1}>
            {side.label}
          </a>
        </>
      )}
    </>
  );
}

interface GroupLineProps {
  index: number;
  group: GroupRow;
  isOpen: boolean;
  columns: number;
  isFocused: boolean;
  locale: string;
  onToggle: () => void;
}

/** A group, which opens and closes. */
export function GroupLine({ index, group, isOpen, columns, isFocused, locale, onToggle }: GroupLineProps) {
  return (
    <tr aria-rowindex={index + 2} aria-level={group.level} aria-expanded={isOpen} className="grid-group">
      <th
        scope="row"
        role="rowheader"
        colSpan={columns}
        aria-colindex={1}
        tabIndex={isFocused ? 0 : -1}
        data-level={group.level}
        onClick={onToggle}
      >
        <Icon name={isOpen ? 'chevron-down' : 'chevron-right'} />
        <bdi>{group.text}</bdi>
        <small>{new Intl.NumberFormat(locale).format(group.count)}</small>
      </th>
    </tr>
  );
}

interface EndRowProps {
  look: Look;
  index: number;
  columns: number;
  isFailed: boolean;
  isFocused: boolean;
  onRetry: () => void;
}

/** The end of what is loaded: the next rows come, or could not be loaded. */
export function EndRow({ look: { t }, index, columns, isFailed, isFocused, onRetry }: EndRowProps) {
  return (
    <tr aria-rowindex={index + 2} className="grid-end">
      <td role="gridcell" colSpan={columns} aria-colindex={1} tabIndex={isFocused ? 0 : -1}>
        {isFailed ? (
          <span role="alert">
            {t('failed')}{' '}
            <button type="button" className="button" tabIndex={-1} onClick={onRetry}>
              {t('tryAgain')}
            </button>
          </span>
        ) : (
          <span className="grid-skeleton">
            <span className="visually-hidden">{t('loading')}</span>
          </span>
        )}
      </td>
    </tr>
  );
}

/** The rows that are not drawn, as high as they are. The height is set by script: the policy blocks attributes. */
export function Spacer({ height, columns }: { height: number; columns: number }) {
  const row = useRef<HTMLTableRowElement>(null);
  // before the browser lays out: with a wrong height it would move the position
  useLayoutEffect(() => {
    if (row.current) row.current.style.blockSize = `${height}px`;
  });
  return (
    <tr ref={row} role="presentation" className="grid-spacer" hidden={height === 0}>
      <td role="presentation" colSpan={columns} />
    </tr>
  );
}
