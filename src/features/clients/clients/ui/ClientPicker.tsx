import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type SyntheticEvent } from 'react';
import { Icon } from '#ui/Icon.tsx';
import { createTranslator, type Messages, type T } from '#platform/text/messages.ts';
import { findClients } from '../calls.ts';
import type { ClientPage } from '../clients.ts';
import { SEARCH_DEBOUNCE, SWITCHER_PAGE } from '../rules.ts';
import { ClientCombobox, type ActiveClient } from './ClientCombobox.tsx';
import { ClientGrid } from './ClientGrid.tsx';
import { ClientsFailed } from './ClientsFailed.tsx';
import type { PickerWord } from './picker-messages.ts';

interface Props {
  client: ActiveClient;
  /** The page of clients, which receives the choice, and the address to return to. */
  action: string;
  here: string;
  /** Staff see what waits in the inbox, contacts the documents that they have not read. */
  isStaff: boolean;
  words: Messages<PickerWord>;
}

interface ClientSearch {
  searchTerm: string;
  pageNum: number;
}

type Found = { kind: 'loading' } | { kind: 'failed' } | { kind: 'found'; page: ClientPage };

const FIRST: ClientSearch = { searchTerm: '', pageNum: 1 };

/**
 * The client bar of people with many clients: the active client and a button, which open a list, and the dialog with
 * all of them. Before scripts, they lead to the page of clients.
 */
export function ClientPicker({ client, action, here, isStaff, words }: Props) {
  const t = useMemo(() => createTranslator(words), [words]);
  const dialog = useRef<HTMLDialogElement>(null);
  const search = useRef<HTMLInputElement>(null);
  const grid = useRef<HTMLFieldSetElement>(null);
  const [isOpen, setOpen] = useState(false);
  const pages = useClientPages(isOpen);
  const { found, page } = pages;
  const [chosen, setChosen] = useState(client.id);

  function open(): void {
    pages.restart();
    setChosen(client.id);
    setOpen(true);
    dialog.current?.showModal();
    search.current?.focus();
  }

  /**
   * The down arrow leads from the search into the grid; there arrow keys move between clients and Enter
   * selects, as in every group of radio buttons.
   */
  function intoGrid(event: KeyboardEvent): void {
    if (event.key !== 'ArrowDown') return;
    event.preventDefault();
    const first = grid.current?.querySelector<HTMLInputElement>('input:checked, input');
    first?.focus();
    if (first) setChosen(first.value);
  }

  const isShown = page?.clients.some(({ id }) => id === chosen) ?? false;

  return (
    <>
      <ClientCombobox {...{ client, action, here, isStaff, t }} onAll={open} />
      <dialog
        ref={dialog}
        className="client-picker"
        aria-labelledby="client-picker-title"
        // the event comes late: the dialog may be open again
        onClose={() => setOpen(dialog.current?.open ?? false)}
      >
        <div className="stack">
          <div className="bar">
            <h2 id="client-picker-title">{t('selectClient')}</h2>
            <button
              type="button"
              className="button button-quiet button-icon"
              aria-label={t('close')}
              onClick={() => dialog.current?.close()}
            >
              <Icon name="x" />
            </button>
          </div>
          <form role="search" aria-label={t('search')} className="client-search" onSubmit={pages.searchNow}>
            <Icon name="search" />
            <input
              ref={search}
              className="input"
              type="search"
              maxLength={200}
              aria-label={t('search')}
              placeholder={t('search')}
              autoComplete="off"
              value={pages.typed}
              onChange={(event) => pages.type(event.target.value)}
              onKeyDown={intoGrid}
            />
          </form>
          {found.kind === 'failed' && (
            <ClientsFailed searched={pages.query.searchTerm} t={t} onRetry={pages.retry} />
          )}
          <form method="post" aria-labelledby="client-picker-title" action={action} className="stack">
            <input type="hidden" name="r" value={here} />
            <ClientGrid
              {...{ chosen, isStaff, t }}
              gridRef={grid}
              clients={page?.clients ?? []}
              isLoading={found.kind === 'loading'}
              onChoose={setChosen}
            />
            <Pager {...{ pages, t }} locale={words.locale} />
            <div className="actions">
              <button type="button" className="button" onClick={() => dialog.current?.close()}>
                {t('cancel')}
              </button>
              <button className="button button-primary" disabled={!isShown}>
                {t('select')}
              </button>
            </div>
          </form>
        </div>
      </dialog>
    </>
  );
}

type ClientPages = ReturnType<typeof useClientPages>;

/** The search of the dialog while it is open, and the page of clients that answers it. */
function useClientPages(isOpen: boolean) {
  const [typed, setTyped] = useState('');
  const [query, setQuery] = useState<ClientSearch>(FIRST);
  const [found, setFound] = useState<Found>({ kind: 'loading' });

  // The search waits until typing pauses, and then shows the first page of its results.
  useEffect(() => {
    if (typed === query.searchTerm) return;
    const timer = setTimeout(() => setQuery({ searchTerm: typed, pageNum: 1 }), SEARCH_DEBOUNCE);
    return () => clearTimeout(timer);
  }, [typed, query.searchTerm]);

  useEffect(() => {
    if (!isOpen) return;
    const overtaken = new AbortController();
    void findClients({ ...query, pageSize: SWITCHER_PAGE, orderBy: 'name', signal: overtaken.signal }).then(
      (answer) => {
        if (answer !== 'overtaken')
          setFound(answer === 'failed' ? { kind: 'failed' } : { kind: 'found', page: answer });
      },
    );
    return () => overtaken.abort();
  }, [isOpen, query]);

  return {
    typed,
    query,
    found,
    page: found.kind === 'found' ? found.page : undefined,
    type: setTyped,
    /** Searches without waiting. */
    searchNow: (event: SyntheticEvent): void => {
      event.preventDefault();
      if (typed !== query.searchTerm) setQuery({ searchTerm: typed, pageNum: 1 });
    },
    turn: (by: number): void => setQuery({ ...query, pageNum: query.pageNum + by }),
    retry: (): void => setQuery({ ...query }),
    /** Loads the first page of all clients. */
    restart: (): void => {
      setTyped('');
      setQuery({ ...FIRST });
    },
  };
}

interface PagerProps {
  pages: ClientPages;
  locale: string;
  t: T<PickerWord>;
}

/** Which clients are shown, and the buttons that lead to others. */
function Pager({ pages: { query, found, page, turn }, locale, t }: PagerProps) {
  const number = useMemo(() => new Intl.NumberFormat(locale), [locale]);
  const start = (query.pageNum - 1) * SWITCHER_PAGE;
  return (
    <div className="pager">
      <span role="status">
        {found.kind === 'loading' && t('loading')}
        {page?.total === 0 && t('noClientFound')}
        {page !== undefined &&
          page.total > 0 &&
          t('range', {
            start: number.format(start + 1),
            end: number.format(start + page.clients.length),
            total: number.format(page.total),
          })}
      </span>
      <button type="button" className="button" disabled={query.pageNum <= 1} onClick={() => turn(-1)}>
        <Icon name="chevron-left" />
        <span className="visually-hidden-narrow">{t('previousPage')}</span>
      </button>
      <button
        type="button"
        className="button"
        disabled={page === undefined || query.pageNum >= page.totalPages}
        onClick={() => turn(1)}
      >
        <span className="visually-hidden-narrow">{t('nextPage')}</span>
        <Icon name="chevron-right" />
      </button>
    </div>
  );
}
