import { memo, useEffect, useLayoutEffect, useRef } from 'react';
import { Icon } from '#ui/Icon.tsx';
import type { T } from '#platform/text/messages.ts';
import { shortMoment, wholeMoment } from '#platform/text/short-moment.ts';
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
  /** Its texts are never cut. */
  isShort?: boolean;
  /** Shows of a moment what a list needs (short-moment.ts). */
  isShortMoment?: boolean;
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

const classOf = ({ type, isMeta, isShort, isRowHeader }: GridColumnView) =>
  [type === 'number' && !isRowHeader && 'number', (type === 'time' || isMeta) && 'meta', isShort && 'short']
    .filter(Boolean)
    .join(' ') || undefined;

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
            className:
              [classOf(column), cell?.note !== undefined && !cell.chip && 'noted']
                .filter(Boolean)
                .join(' ') || undefined,
            'aria-colindex': at + before + 1,
            tabIndex: tabIndexOf(focused, at + before),
            title: cell && (cell.title ?? ([cell.text, cell.note].filter(Boolean).join(' · ') || undefined)),
          };
          const content = cell && <CellContent cell={cell} column={column} locale={locale} />;
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
            {row.actions.length > 0 && (
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

interface CellContentProps {
  cell: Cell;
  column: GridColumnView;
  locale: string;
}

function CellContent({ cell, column, locale }: CellContentProps) {
  const { note, chip } = cell;
  return (
    <>
      <CellText cell={cell} column={column} locale={locale} />
      {note !== undefined && !chip && (
        <>
          {' '}
          <small className="cell-note">
            <bdi>{note}</bdi>
          </small>
        </>
      )}
    </>
  );
}

function CellText({ cell, column, locale }: CellContentProps) {
  const { text, href, at, note, isProblem, chip } = cell;
  if (at !== undefined) return <Moment at={at} locale={locale} isShort={column.isShortMoment === true} />;
  if (chip)
    return (
      <span className="state-chip" data-tone={chip.tone}>
        <Icon name={chip.icon} />
        <bdi>{text}</bdi>
        {note !== undefined && <small> {note}</small>}
      </span>
    );
  const linked =
    href === undefined ? (
      <bdi>{text}</bdi>
    ) : (
      <a href={href} tabIndex={-1}>
        <bdi>{text}</bdi>
      </a>
    );
  return isProblem ? (
    <strong className="cell-problem">
      <Icon name="circle-alert" /> {linked}
    </strong>
  ) : (
    linked
  );
}

function Moment({ at, locale, isShort }: { at: number; locale: string; isShort: boolean }) {
  const whole = wholeMoment(locale, at);
  return (
    <time
      dateTime={new Date(at).toISOString()}
      title={isShort ? whole : undefined}
      data-local={isShort ? 'short' : undefined}
    >
      {isShort ? shortMoment(locale, at, { now: Date.now() }) : whole}
    </time>
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
