import { useEffect, useRef, useState, type ReactNode } from 'react';
import { SEARCH_DEBOUNCE } from '../rules.ts';
import { LiveGrid, type GridProps } from './LiveGrid.tsx';

interface Props extends GridProps {
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
