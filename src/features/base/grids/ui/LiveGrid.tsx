import { useEffect, useLayoutEffect, useMemo, useState, type RefObject } from 'react';
import { createTranslator, type Messages } from '#platform/text/messages.ts';
import { countSelected, isSelected, type GridSelection } from '../state.ts';
import { useSource, type Group, type Item, type Level } from './grid-source.ts';
import {
  Columns,
  EndRow,
  GroupLine,
  Heading,
  Row,
  Spacer,
  type GridColumnView,
  type Look,
} from './GridRows.tsx';
import type { GridWord } from './grid-words.ts';
import styles from './live-grid.css?url';
import type { PageTable } from './page-table.ts';
import { RowMenu, type OpenMenu } from './RowMenu.tsx';
import { useGridFocus } from './use-grid-focus.ts';
import { useGridSelection } from './use-grid-selection.ts';
import { useGridWindow } from './use-grid-window.ts';

export interface GridProps {
  path: string;
  /** The parameters of the page's address, and the language. */
  parameters: Readonly<Record<string, string>>;
  lang: string;
  caption: string;
  empty: string;
  columns: readonly GridColumnView[];
  /** The usual order, where the address has none. */
  order: string;
  /** The id of the form that does something with the selected rows. */
  selectForm?: string | undefined;
  words: Messages<GridWord>;
}

interface Props extends GridProps {
  isLive: boolean;
  /** The page's table when the grid took over. */
  table: RefObject<PageTable | undefined>;
  onReady: () => void;
  /** The number of rows as a text, for the page's status. */
  onTotal: (text: string, total: number) => void;
  onSort: (sort: string) => void;
}

/** The rows of a grid, of which only those on the screen are drawn. */
export function LiveGrid(props: Props) {
  const { path, parameters, lang, columns, selectForm, words, isLive, onReady, onTotal, onSort } = props;
  const t = useMemo(() => createTranslator(words), [words]);
  const canSelect = selectForm !== undefined;
  const query = useMemo(() => ({ ...parameters, lang }), [parameters, lang]);
  const { items, total, isCut, hasActions, toggle, loadMore } = useSource(path, query);
  const [menu, setMenu] = useState<OpenMenu>();
  const [isStyled, setStyled] = useState(false);
  const { selection, selected, selectOne, selectAll } = useGridSelection({
    form: selectForm,
    isLive,
    parameters,
    total: total ?? 0,
    textOf: (chosen) =>
      chosen.kind === 'all' && isCut && chosen.except.size === 0
        ? t('selectionAll')
        : t('selection', { count: countSelected(chosen) }),
    from: props.table,
  });
  const { scroller, first, last, above, below, page, onScroll, reveal } = useGridWindow({
    count: items.length,
    isLive,
    query,
    from: props.table,
  });
  const columnCount = columns.length + Number(canSelect) + Number(hasActions);
  const { table, focus, onFocus, onKeyDown } = useGridFocus({
    items,
    columns: columnCount,
    canSelect,
    page,
    isLive,
    query,
    from: props.table,
    reveal,
    toggle,
    selectOne,
    selectAll,
    openMenu: ({ row }, at) => setMenu({ row, at }),
  });
  const look = useMemo(
    (): Look => ({ t, columns, canSelect, locale: words.locale }),
    [t, columns, canSelect, words],
  );

  const count = total === undefined ? undefined : t(isCut ? 'rowsMore' : 'rows', { count: total });
  useStart(isLive, isStyled ? count : undefined, onReady, (text) => onTotal(text, total ?? 0));
  const drawn = items.slice(first, last);
  useLastRow(table, drawn, loadMore);
  useLayoutEffect(() => {
    // what is below stays where it is
    if (isLive && scroller.current)
      scroller.current.style.marginBlockEnd = `${props.table.current?.below ?? 0}px`;
  }, [isLive, scroller, props.table]);

  const link = <link rel="stylesheet" href={styles} onLoad={() => setStyled(true)} />;
  if (total === undefined || !isLive) return <>{link}</>;
  const sort = parameters['sort'] ?? props.order;
  const isGrouped = (parameters['group'] ?? '') !== '';
  const columnIn = (row: number): number | undefined => (row === focus.row ? focus.column : undefined);

  return (
    <>
      {link}
      <div ref={scroller} className="grid-scroller" onScroll={onScroll}>
        <table
          ref={table}
          role={isGrouped ? 'treegrid' : 'grid'}
          className="grid-table"
          aria-label={props.caption}
          aria-describedby="grid-keys"
          aria-rowcount={isGrouped || isCut ? -1 : total + 1}
          aria-colcount={columnCount}
          aria-multiselectable={canSelect || undefined}
          onKeyDown={onKeyDown}
          onFocus={onFocus}
        >
          <Columns widths={props.table.current?.widths ?? []} count={columnCount} />
          <Heading
            look={look}
            sort={sort}
            focused={columnIn(-1)}
            hasActions={hasActions}
            selected={selected}
            onSelectAll={selectAll}
            onSort={(key) => onSort(sort.split(',')[0] === key ? `-${key}` : key)}
          />
          <tbody>
            <Spacer height={above} columns={columnCount} />
            {drawn.map((item, offset) => (
              <Line
                key={item.key}
                item={item}
                index={first + offset}
                columns={columnCount}
                focused={columnIn(first + offset)}
                look={look}
                isGrouped={isGrouped}
                hasActions={hasActions}
                selection={selection}
                onSelect={selectOne}
                onMenu={setMenu}
                onToggle={toggle}
                onMore={loadMore}
              />
            ))}
            <Spacer height={below} columns={columnCount} />
          </tbody>
        </table>
        {items.length === 0 && <p className="grid-empty">{props.empty}</p>}
      </div>
      <p id="grid-keys" className="visually-hidden">
        {t('keys')}
      </p>
      {menu && <RowMenu menu={menu} t={t} onClose={() => setMenu(undefined)} />}
    </>
  );
}

/** Takes over from the page's table once the number of rows is known, and shows it whenever it changes. */
function useStart(
  isLive: boolean,
  count: string | undefined,
  onReady: () => void,
  onTotal: (count: string) => void,
) {
  useEffect(() => {
    if (count !== undefined && !isLive) onReady();
  });
  useEffect(() => {
    if (count !== undefined && isLive) onTotal(count);
  }, [count, isLive]);
}

/** Sends the event at the last row and loads the next page. */
function useLastRow(
  table: RefObject<HTMLTableElement | null>,
  drawn: readonly Item[],
  loadMore: (level: Level) => void,
) {
  useEffect(() => {
    for (const item of drawn)
      if (item.kind === 'end' && item.level.state === 'idle') {
        table.current?.dispatchEvent(new CustomEvent('grid:last-row', { bubbles: true }));
        loadMore(item.level);
      }
  });
}

interface LineProps {
  item: Item;
  index: number;
  columns: number;
  /** The column that takes the focus, if it is in this line. */
  focused: number | undefined;
  look: Look;
  isGrouped: boolean;
  hasActions: boolean;
  selection: GridSelection;
  onSelect: (id: string) => void;
  onMenu: (menu: OpenMenu) => void;
  onToggle: (group: Group) => void;
  onMore: (level: Level) => void;
}

/** A row, a group, or the end of what is loaded. */
function Line({ item, isGrouped, selection, onSelect, onMenu, onToggle, onMore, ...line }: LineProps) {
  if (item.kind === 'row')
    return (
      <Row
        {...line}
        row={item.row}
        level={isGrouped ? item.level : undefined}
        isSelected={isSelected(selection, item.row.id)}
        onSelect={onSelect}
        onMenu={onMenu}
      />
    );
  const isFocused = line.focused !== undefined;
  return item.kind === 'group' ? (
    <GroupLine
      {...line}
      group={item.group.row}
      isOpen={item.group.isOpen}
      isFocused={isFocused}
      locale={line.look.locale}
      onToggle={() => onToggle(item.group)}
    />
  ) : (
    <EndRow
      {...line}
      isFailed={item.level.state === 'failed'}
      isFocused={isFocused}
      onRetry={() => onMore(item.level)}
    />
  );
}
