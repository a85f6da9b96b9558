import { useEffect, useRef, useState, type ReactNode } from 'react';
import { SEARCH_DEBOUNCE } from '../rules.ts';
import { LiveGrid, type GridProps } from './LiveGrid.tsx';
import { readTable, whenReleased, type PageTable } from './page-table.ts';

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
  const isReady = useRef(false);
  const table = useRef<PageTable>(undefined);

  useEffect(() => setTaken(!props.parameters['after'] && !props.parameters['path']), [props.parameters]);
  useFilterForm(root, isTaken, props.parameters, (values) => setParameters((now) => merged(now, values)));
  useAddress(root, props.path, props.lang, parameters, isLive);
  useFittingActs(props.selectForm, parameters, isLive);

  /** The rows have come: the grid replaces the table, but not under a pressed button or an open menu. */
  function onReady(): void {
    if (isReady.current || !root.current) return;
    isReady.current = true;
    whenReleased(root.current, (island) => {
      table.current = readTable(island);
      setLive(true);
    });
  }

  function showTotal(text: string, total: number): void {
    const status = root.current?.querySelector('.grid-total');
    if (status) status.textContent = text;
    const number = new Intl.NumberFormat(props.words.locale).format(total);
    for (const label of root.current?.querySelectorAll<HTMLElement>('[data-grid-count]') ?? [])
      label.textContent = (label.dataset['gridCount'] ?? '').replace('#', number);
  }

  return (
    <div ref={root} className="grid-island" data-live={isLive ? '' : undefined}>
      {children}
      {isTaken && (
        <LiveGrid
          {...props}
          parameters={parameters}
          isLive={isLive}
          table={table}
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
  parameters: Readonly<Record<string, string>>,
  onChange: (values: Record<string, string>) => void,
): void {
  const change = useRef(onChange);
  change.current = onChange;
  useEffect(() => {
    const form = root.current?.querySelector<HTMLFormElement>('form[role=search]');
    if (!form || !isTaken) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const read = (): Record<string, string> =>
      Object.fromEntries(
        [...new FormData(form)].flatMap(([name, value]) =>
          typeof value === 'string' && name !== 'client' && name !== 'sort' ? [[name, value.trim()]] : [],
        ),
      );
    // what was typed before is sent, too
    let sent = JSON.stringify(
      Object.fromEntries(Object.keys(read()).map((name) => [name, parameters[name] ?? ''])),
    );
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
    // the menu has fields of the form that the form does not contain
    const of = (act: () => void) => (event: Event) => {
      if (event.target instanceof HTMLElement && 'form' in event.target && event.target.form === form) act();
    };
    const [typed, changed] = [of(later), of(apply)];
    const island = root.current;
    island?.addEventListener('input', typed);
    island?.addEventListener('change', changed);
    later();
    return () => {
      clearTimeout(timer);
      island?.removeEventListener('input', typed);
      island?.removeEventListener('change', changed);
    };
  }, [root, isTaken, parameters]);
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
    for (const form of root.current?.querySelectorAll<HTMLFormElement>('.view-menu form[method=post]') ?? [])
      form.action = here;
    for (const all of root.current?.querySelectorAll<HTMLInputElement>('input[data-grid-query]') ?? [])
      all.value = new URLSearchParams(parameters).toString();
    query.delete('filter');
    for (const link of root.current?.querySelectorAll<HTMLAnchorElement>('[data-of-menu]') ?? [])
      link.search = query.toString();
    for (const link of root.current?.querySelectorAll<HTMLAnchorElement>('[data-grid-export]') ?? []) {
      const format = new URL(link.href).searchParams.get('format') ?? 'xlsx';
      link.href = `${path}/export?${new URLSearchParams({ ...parameters, lang, format })}`;
    }
  }, [root, path, lang, parameters, isLive]);
}

/** Shows what can be done with rows that match a filter, such as their status: the buttons name its values that they are for. */
function useFittingActs(
  form: string | undefined,
  parameters: Readonly<Record<string, string>>,
  isLive: boolean,
): void {
  useEffect(() => {
    const acts = document.getElementById(form ?? '');
    const value = parameters[acts?.dataset['fitsBy'] ?? ''] ?? '';
    if (isLive)
      for (const act of acts?.querySelectorAll<HTMLElement>('[data-fits]') ?? [])
        act.hidden = value !== '' && !(act.dataset['fits'] ?? '').split(' ').includes(value);
  }, [form, parameters, isLive]);
}
