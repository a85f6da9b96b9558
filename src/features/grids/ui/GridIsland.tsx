import { useStore } from '@nanostores/react';
import {
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
} from 'react';
import { createTranslator, type Messages } from '#platform/messages.ts';
import { MARGIN, moved, ROW_HEIGHT, SEARCH_DEBOUNCE, scrolledTo, windowOf, type Position } from '../rules.ts';
import { $gridSelection, NOTHING_SELECTED, selectAllState, isSelected, withToggled } from '../state.ts';
import { useSource, type Item } from './grid-source.ts';
import {
  Columns,
  Heading,
  EndRow,
  GroupLine,
  Row,
  Spacer,
  type GridColumnView,
  type Look,
} from './GridRows.tsx';
import type { GridWord } from './grid-words.ts';
import { RowMenu, type OpenMenu } from './RowMenu.tsx';

interface Props {
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
  /** The filter form and the table of the page. */
  children?: ReactNode;
}

/**
 * The grid of a page: takes over its table when it is first touched, with the same address. The page at a later
 * position, or inside a group, stays the page that it is.
 */
export function GridIsland({ children, ...props }: Props) {
  const root = useRef<HTMLDivElement>(null);
  const [parameters, setParameters] = useState(props.parameters);
  const [isLive, setLive] = useState(false);
  const [isTaken, setTaken] = useState(false);
  const startRow = useRef<number>(undefined);
  const widths = useRef<readonly number[]>([]);

  useEffect(() => setTaken(!props.parameters['after'] && !props.parameters['path']), [props.parameters]);
  useFilterForm(root, isTaken, (values) => setParameters((now) => merged(now, values)));
  useAddress(root, props.path, props.lang, parameters, isLive);

  /** The rows have come: the grid replaces the table, and takes the focus that was in it. */
  function onReady(): void {
    const table = root.current?.querySelector<HTMLTableElement>('.grid-page table');
    const row = document.activeElement?.closest('tr');
    widths.current = [...(table?.tHead?.rows[0]?.cells ?? [])].map(
      (cell) => cell.getBoundingClientRect().width,
    );
    if (table && row && table.contains(row))
      startRow.current = Math.max(0, [...table.querySelectorAll('tbody tr')].indexOf(row));
    setLive(true);
  }

  function showTotal(text: string): void {
    const status = root.current?.querySelector('.grid-total');
    if (status) status.textContent = text;
  }

  return (
    <div ref={root} className="grid-island" data-live={isLive ? '' : undefined}>
      {children}
      {isTaken && (
        <LiveGrid
          {...props}
          parameters={parameters}
          isLive={isLive}
          startRow={startRow}
          widths={widths}
          onReady={onReady}
          onTotal={showTotal}
          onSort={(sort) => setParameters((now) => merged(now, { sort }))}
        />
      )}
    </div>
  );
}

function merged(
  parameters: Readonly<Record<string, string>>,
  values: Readonly<Record<string, string>>,
): Record<string, string> {
  const all = Object.entries({ ...parameters, ...values });
  return Object.fromEntries(all.filter(([, value]) => value !== ''));
}

/** Passes on the fields of the filter form: texts when typing pauses, everything else at once. */
function useFilterForm(
  root: React.RefObject<HTMLDivElement | null>,
  isTaken: boolean,
  onChange: (values: Record<string, string>) => void,
): void {
  const change = useRef(onChange);
  change.current = onChange;
  useEffect(() => {
    const form = root.current?.querySelector<HTMLFormElement>('form[role=search]');
    if (!form || !isTaken) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let sent = '';
    const read = (): Record<string, string> =>
      Object.fromEntries(
        [...new FormData(form)].flatMap(([name, value]) =>
          typeof value === 'string' && name !== 'client' && name !== 'sort' ? [[name, value.trim()]] : [],
        ),
      );
    sent = JSON.stringify(read());
    const apply = (): void => {
      clearTimeout(timer);
      const values = read();
      if (JSON.stringify(values) === sent) return;
      sent = JSON.stringify(values);
      const active = root.current?.querySelector('.active-filters'); // of the page as it came
      for (const item of active?.children ?? []) if (!item.querySelector('[data-of-menu]')) item.remove();
      if (active?.childElementCount === 0) active.remove();
      change.current(values);
    };
    const later = (): void => {
      clearTimeout(timer);
      timer = setTimeout(apply, SEARCH_DEBOUNCE);
    };
    form.addEventListener('input', later);
    form.addEventListener('change', apply);
    later(); // what was typed before
    return () => {
      clearTimeout(timer);
      form.removeEventListener('input', later);
      form.removeEventListener('change', apply);
    };
  }, [root, isTaken]);
}

/** Keeps the address of the page and the links of its menus at the query that the grid shows. */
function useAddress(
  root: React.RefObject<HTMLDivElement | null>,
  path: string,
  lang: string,
  parameters: Readonly<Record<string, string>>,
  isLive: boolean,
): void {
  useEffect(() => {
    if (!isLive) return;
    const client = new URL(location.href).searchParams.get('client');
    const query = new URLSearchParams({ ...parameters, ...(client !== null && { client }) });
    const here = location.pathname + (query.size > 0 ? `?${query}` : '');
    history.replaceState(history.state, '', here);
    for (const form of root.current?.querySelectorAll<HTMLFormElement>('.grid-menus form[method=post]') ?? [])
      form.action = here;
    query.delete('filter');
    for (const link of root.current?.querySelectorAll<HTMLAnchorElement>('[data-of-menu]') ?? [])
      link.search = query.toString();
    for (const link of root.current?.querySelectorAll<HTMLAnchorElement>('[data-grid-export]') ?? []) {
      const format = new URL(link.href).searchParams.get('format') ?? 'xlsx';
      link.href = `${path}/export?${new URLSearchParams({ ...parameters, lang, format })}`;
    }
  }, [root, path, lang, parameters, isLive]);
}

/** Sends the selection with its form: the ids, or that all are selected that match a query, and which are not. */
function useSelectedRows(formId: string | undefined): void {
  useEffect(() => {
    const form = formId === undefined ? null : document.getElementById(formId);
    const fill = (event: Event): void => {
      if (!(event instanceof FormDataEvent)) return;
      const { formData } = event;
      const selection = $gridSelection.get();
      formData.delete('id'); // of the table of the page
      if (selection.kind === 'some') for (const id of selection.ids) formData.append('id', id);
      else {
        formData.set('all', selection.query);
        for (const id of selection.except) formData.append('except', id);
      }
    };
    form?.addEventListener('formdata', fill);
    return () => form?.removeEventListener('formdata', fill);
  }, [formId]);
}

interface LiveProps extends Omit<Props, 'children'> {
  isLive: boolean;
  startRow: React.RefObject<number | undefined>;
  /** The widths of the columns of the page's table (CSS px). */
  widths: React.RefObject<readonly number[]>;
  onReady: () => void;
  /** The number of rows as a text, for the page's status. */
  onTotal: (text: string) => void;
  onSort: (sort: string) => void;
}

function LiveGrid({
  path,
  parameters,
  lang,
  caption,
  empty,
  columns,
  order,
  selectForm,
  words,
  isLive,
  startRow,
  widths,
  onReady,
  onTotal,
  onSort,
}: LiveProps) {
  const t = useMemo(() => createTranslator(words), [words]);
  const canSelect = selectForm !== undefined;
  const query = useMemo(() => ({ ...parameters, lang }), [parameters, lang]);
  const { items, total, isCut, hasActions, toggle, loadMore } = useSource(path, query);
  const selection = useStore($gridSelection);
  useSelectedRows(isLive ? selectForm : undefined);
  const scroller = useRef<HTMLDivElement>(null);
  const table = useRef<HTMLTableElement>(null);
  const [view, setView] = useState({ top: 0, height: 600, isJump: false });
  const [focus, setFocus] = useState<Position>({ row: 0, column: canSelect ? 1 : 0 });
  const wantsFocus = useRef(false);
  const [menu, setMenu] = useState<OpenMenu>();
  const look = useMemo(
    (): Look => ({ t, columns, canSelect, locale: words.locale }),
    [t, columns, canSelect, words],
  );
  const columnCount = columns.length + Number(canSelect) + Number(hasActions);
  const sort = parameters['sort'] ?? order;
  const { first, last, above, below } = windowOf(
    view.top,
    view.height,
    items.length,
    view.isJump ? 0 : MARGIN,
  );
  const isGrouped = (parameters['group'] ?? '') !== '';

  useEffect(() => {
    if (total !== undefined && !isLive) onReady();
  });
  useEffect(() => {
    if (total !== undefined && isLive) onTotal(t(isCut ? 'rowsMore' : 'rows', { count: total }));
  }, [total, isCut, isLive]);
  const isAnySelected = selectAllState(selection, total ?? 0) !== 'none';
  useEffect(() => {
    // shows what can be done with them (grid.css)
    if (isLive) document.documentElement.dataset['picked'] = String(isAnySelected);
  }, [isLive, isAnySelected]);
  useEffect(() => {
    $gridSelection.set(NOTHING_SELECTED); // of another query
    if (scroller.current) scroller.current.scrollTop = 0;
    setFocus((now) => ({ ...now, row: Math.min(now.row, 0) }));
  }, [query]);
  useLayoutEffect(() => {
    if (!isLive) return undefined;
    const box = scroller.current;
    if (!box) return undefined;
    if (startRow.current !== undefined) {
      wantsFocus.current = true;
      setFocus((now) => ({ ...now, row: startRow.current ?? 0 }));
      startRow.current = undefined;
    }
    const measure = (): void => setView((now) => ({ ...now, height: box.clientHeight - ROW_HEIGHT }));
    const observer = new ResizeObserver(measure);
    observer.observe(box);
    return () => observer.disconnect();
  }, [isLive, startRow]);
  useLayoutEffect(() => {
    if (!wantsFocus.current) return;
    const cell = table.current?.querySelector<HTMLElement>('[tabindex="0"]');
    if (!cell) return;
    wantsFocus.current = false;
    cell.focus({ preventScroll: true });
  });
  // after a jump all rows are new: those around the visible ones are drawn in a task of their own
  useEffect(() => {
    if (!view.isJump) return undefined;
    const timer = setTimeout(() => setView((now) => ({ ...now, isJump: false })), 100);
    return () => clearTimeout(timer);
  }, [view]);
  // the event at the last row: the next page is loaded
  useEffect(() => {
    for (const item of items.slice(first, last))
      if (item.kind === 'end' && item.level.state === 'idle') {
        table.current?.dispatchEvent(new CustomEvent('grid:last-row', { bubbles: true }));
        loadMore(item.level);
      }
  });

  function scroll(): void {
    const top = scroller.current?.scrollTop ?? 0;
    // rows are drawn anew only when others come into view
    if (Math.floor(top / ROW_HEIGHT) === Math.floor(view.top / ROW_HEIGHT)) return;
    const isJump = Math.abs(top - view.top) > MARGIN * ROW_HEIGHT;
    setView((now) => ({ ...now, top, isJump }));
  }

  function goTo(to: Position): void {
    wantsFocus.current = true;
    setFocus(to);
    const box = scroller.current;
    if (!box || to.row < 0) return;
    const top = scrolledTo(to.row, box.scrollTop, view.height);
    if (top === box.scrollTop) return;
    box.scrollTop = top;
    setView((now) => ({ ...now, top }));
  }

  const selectOne = (id: string): void => $gridSelection.set(withToggled(selection, id));
  const selectAll = (): void =>
    $gridSelection.set(
      selectAllState(selection, total ?? 0) === 'all'
        ? NOTHING_SELECTED
        : {
            kind: 'all',
            except: new Set(),
            query: new URLSearchParams(parameters).toString(),
            total: total ?? 0,
          },
    );
  const sortBy = (key: string): void => onSort(sort.split(',')[0] === key ? `-${key}` : key);

  function activate(item: Item | undefined, cell: HTMLElement): void {
    if (focus.row < 0) return cell.querySelector<HTMLElement>('a, button, input')?.click();
    if (item?.kind === 'group') return toggle(item.group);
    if (item?.kind === 'row' && item.row.actions.length > 0 && cell.matches('.grid-actions'))
      return setMenu({ row: item.row, at: cell });
    const target =
      cell.querySelector<HTMLElement>('a, button, input') ??
      cell.closest('tr')?.querySelector<HTMLElement>('a');
    target?.click();
  }

  function press(event: KeyboardEvent<HTMLTableElement>): void {
    if (!(event.target instanceof HTMLElement) || event.altKey || event.metaKey) return;
    const cell = event.target.closest<HTMLElement>('th, td');
    const item = items.at(focus.row);
    if (!cell) return;
    if (item?.kind === 'group' && focus.row >= 0) {
      const isOpening = event.key === 'ArrowRight' && !item.group.isOpen;
      if (isOpening || (event.key === 'ArrowLeft' && item.group.isOpen)) {
        event.preventDefault();
        return toggle(item.group);
      }
    }
    const to = moved(focus, event, {
      rows: items.length,
      columns: columnCount,
      page: Math.max(1, Math.floor(view.height / ROW_HEIGHT) - 1),
    });
    if (to) {
      event.preventDefault();
      return goTo(to);
    }
    if (event.key === 'Enter' && event.target === cell) {
      event.preventDefault();
      return activate(item, cell);
    }
    if (event.key === ' ' && event.target === cell) {
      event.preventDefault();
      if (item?.kind === 'group') toggle(item.group);
      else if (focus.row < 0 && canSelect) selectAll();
      else if (item?.kind === 'row' && canSelect) selectOne(item.row.id);
    }
  }

  if (total === undefined || !isLive) return null;
  const columnIn = (row: number): number | undefined => (row === focus.row ? focus.column : undefined);
  return (
    <>
      <div ref={scroller} className="grid-scroller" onScroll={scroll}>
        <table
          ref={table}
          role={isGrouped ? 'treegrid' : 'grid'}
          className="grid-table"
          aria-label={caption}
          aria-describedby="grid-keys"
          aria-rowcount={isGrouped || isCut ? -1 : total + 1}
          aria-colcount={columnCount}
          aria-multiselectable={canSelect || undefined}
          onKeyDown={press}
          onFocus={({ target }) => {
            const cell = target.closest('th, td');
            const row = Number(cell?.closest('tr')?.getAttribute('aria-rowindex')) - 2;
            const column = Number(cell?.getAttribute('aria-colindex')) - 1;
            if (cell && (row !== focus.row || column !== focus.column)) setFocus({ row, column });
          }}
        >
          <Columns widths={widths.current} count={columnCount} />
          <Heading
            look={look}
            sort={sort}
            focused={columnIn(-1)}
            hasActions={hasActions}
            selected={selectAllState(selection, total)}
            onSelectAll={selectAll}
            onSort={sortBy}
          />
          <tbody>
            <Spacer height={above} columns={columnCount} />
            {items.slice(first, last).map((item, offset) => {
              const index = first + offset;
              if (item.kind === 'row')
                return (
                  <Row
                    key={item.key}
                    look={look}
                    index={index}
                    row={item.row}
                    level={isGrouped ? item.level : undefined}
                    focused={columnIn(index)}
                    hasActions={hasActions}
                    isSelected={isSelected(selection, item.row.id)}
                    onSelect={selectOne}
                    onMenu={setMenu}
                  />
                );
              return item.kind === 'group' ? (
                <GroupLine
                  key={item.key}
                  index={index}
                  group={item.group.row}
                  isOpen={item.group.isOpen}
                  columns={columnCount}
                  isFocused={index === focus.row}
                  locale={words.locale}
                  onToggle={() => toggle(item.group)}
                />
              ) : (
                <EndRow
                  key={item.key}
                  look={look}
                  index={index}
                  columns={columnCount}
                  isFailed={item.level.state === 'failed'}
                  isFocused={index === focus.row}
                  onRetry={() => loadMore(item.level)}
                />
              );
            })}
            <Spacer height={below} columns={columnCount} />
          </tbody>
        </table>
        {items.length === 0 && <p className="grid-empty">{empty}</p>}
      </div>
      <p id="grid-keys" className="visually-hidden">
        {t('keys')}
      </p>
      {menu && <RowMenu menu={menu} t={t} onClose={() => setMenu(undefined)} />}
    </>
  );
}
