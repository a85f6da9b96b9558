import { useEffect, useRef, useState, type KeyboardEvent, type MouseEvent, type RefObject } from 'react';
import { Icon } from '#ui/Icon.tsx';
import { findClients } from '../calls.ts';
import type { Client, PendingClient } from '../clients.ts';
import { MAX_SUGGESTIONS, SEARCH_DEBOUNCE } from '../rules.ts';
import { ClientName } from './ClientName.tsx';
import { ClientsFailed } from './ClientsFailed.tsx';
import type { PickerWord } from './picker-messages.ts';

export type ActiveClient = Pick<Client, 'id' | 'displayAs' | 'nickname' | 'initials'>;

interface Props {
  client: ActiveClient;
  action: string;
  here: string;
  isStaff: boolean;
  t: (key: PickerWord, vars?: Record<string, number>) => string;
  /** Opens the dialog with all clients. */
  onAll: () => void;
}

type Found = { kind: 'loading' } | { kind: 'failed' } | { kind: 'found'; clients: PendingClient[] };

interface Answer {
  found: Found;
  /** The search that `found` answers. */
  searched: string;
}

/**
 * The active client in the client bar, and the button beside it. Both open a list that starts with the clients with
 * something pending and is filtered as one types; one click switches. On a phone, the button also opens the keyboard,
 * which covers a part of the list. Without scripts, the button and the search lead to the page of clients.
 */
export function ClientCombobox({ client, action, here, isStaff, t, onAll }: Props) {
  const menu = useRef<HTMLDetailsElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const { found, searched, retry } = useClients(isOpen, typed.trim());
  const clients = found.kind === 'found' ? found.clients : [];
  const shown = clients.filter(({ id }) => searched !== '' || id !== client.id).slice(0, MAX_SUGGESTIONS);
  const { active, steer, reset } = useActiveOption(list, shown.length, { found, searched });

  useEffect(() => setOpen(menu.current?.open ?? false), []); // it may have been opened before hydration
  useEffect(() => {
    if (isOpen && hasHardwareKeyboard()) input.current?.focus();
  }, [isOpen]);

  function noteToggled(): void {
    const isNowOpen = menu.current?.open ?? false;
    setOpen(isNowOpen);
    if (isNowOpen) return;
    setTyped('');
    reset();
  }

  /** Opens or closes the list at once, so that what is typed next is in the search. */
  function toggleList(event: MouseEvent, focusesSearch: boolean): void {
    event.preventDefault();
    if (!menu.current) return;
    menu.current.open = !menu.current.open;
    if (menu.current.open && focusesSearch) input.current?.focus();
  }

  function showAll(event: MouseEvent): void {
    event.preventDefault();
    menu.current?.querySelector('summary')?.focus(); // which gets the focus back from the dialog
    if (menu.current) menu.current.open = false;
    onAll();
  }

  return (
    <>
      <details className="menu client-menu" ref={menu} onToggle={noteToggled}>
        <summary onClick={(event) => toggleList(event, hasHardwareKeyboard())}>
          <ActiveClientName {...{ client, t }} />
        </summary>
        <div className="menu-panel stack-tight client-combobox">
          <div className="client-search">
            <Icon name="search" />
            <input
              ref={input}
              className="input"
              type="search"
              name="searchTerm"
              form="client-switch"
              maxLength={200}
              role="combobox"
              aria-label={t('search')}
              aria-autocomplete="list"
              aria-expanded={shown.length > 0}
              aria-controls="client-options"
              aria-activedescendant={active >= 0 ? `client-option-${active}` : undefined}
              placeholder={t('search')}
              autoComplete="off"
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
              onKeyDown={steer}
            />
          </div>
          {isOpen && found.kind === 'failed' && <ClientsFailed {...{ searched, t }} onRetry={retry} />}
          <form method="post" action={action}>
            <input type="hidden" name="r" value={here} />
            <ClientOptions
              {...{ active, isStaff, t }}
              listRef={list}
              clients={shown}
              isLoading={isOpen && found.kind === 'loading'}
            />
          </form>
          <p role="status" className="meta">
            {isOpen && found.kind === 'loading' && t('loading')}
            {found.kind === 'found' && shown.length === 0 && t('noClientFound')}
          </p>
          <button className="button" form="client-switch" onClick={showAll}>
            {t('all')}
          </button>
        </div>
      </details>
      {/* A click beside a menu closes it (kit.ts). */}
      <button
        className="button no-print"
        form="client-switch"
        aria-expanded={isOpen}
        onClick={(event) => {
          event.stopPropagation();
          toggleList(event, true);
        }}
      >
        <Icon name="users" />
        <span className="visually-hidden-narrow">{t('open')}</span>
      </button>
    </>
  );
}

/** What the bar says of the active client. */
const ActiveClientName = ({ client, t }: Pick<Props, 'client' | 't'>) => (
  <>
    <span className="initials" aria-hidden="true">
      {client.initials}
    </span>
    <span className="client-name">
      <small>{t('title')}</small>
      <strong>
        <bdi>{client.displayAs}</bdi>
      </strong>
      {client.nickname !== null && (
        <small>
          <bdi>{client.nickname}</bdi>
        </small>
      )}
    </span>
    <Icon name="chevron-down" />
  </>
);

interface OptionsProps extends Pick<Props, 'isStaff' | 't'> {
  listRef: RefObject<HTMLDivElement | null>;
  clients: readonly PendingClient[];
  /** The index of the active option; -1 if there is none. */
  active: number;
  isLoading: boolean;
}

/** The list of clients, each a button that switches. */
const ClientOptions = ({ listRef, clients, active, isLoading, isStaff, t }: OptionsProps) => (
  <div
    ref={listRef}
    id="client-options"
    className="choices"
    role="listbox"
    aria-label={t('clients')}
    aria-busy={isLoading}
  >
    {clients.map(({ id, displayAs, nickname, pending }, index) => (
      <button
        key={id}
        id={`client-option-${index}`}
        name="client"
        value={id}
        role="option"
        tabIndex={-1}
        aria-selected={index === active}
      >
        <span className="client-name">
          <ClientName {...{ displayAs, nickname }} />
        </span>
        {pending > 0 && <small>{t(isStaff ? 'waiting' : 'pending', { count: pending })}</small>}
      </button>
    ))}
  </div>
);

/** The option that Enter presses. The arrow keys change it, and a search starts with its first one. */
function useActiveOption(
  list: RefObject<HTMLElement | null>,
  count: number,
  { found, searched }: Answer,
): { active: number; steer: (event: KeyboardEvent) => void; reset: () => void } {
  const [active, setActive] = useState(-1);

  useEffect(() => setActive(searched === '' ? -1 : 0), [found, searched]);
  useEffect(() => {
    optionAt(list, active)?.scrollIntoView({ block: 'nearest' });
  }, [active]);

  function steer(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined && event.key !== 'Enter') return;
    event.preventDefault();
    if (step === undefined) optionAt(list, active)?.click();
    else if (count > 0) {
      const from = active < 0 && step < 0 ? 0 : active; // before any is active, up leads to the last one
      setActive((from + step + count) % count);
    }
  }

  return { active, steer, reset: () => setActive(-1) };
}

/** Loads the clients for a search, those with something pending first. A search waits until typing pauses. */
function useClients(isOpen: boolean, wanted: string): Answer & { retry: () => void } {
  const [answer, setAnswer] = useState<Answer>({ found: { kind: 'loading' }, searched: '' });
  const [attempt, setAttempt] = useState(0);

  useEffect(() => {
    if (!isOpen) return;
    const overtaken = new AbortController();
    const search = (): void =>
      void findClients({
        searchTerm: wanted,
        pageNum: 1,
        pageSize: MAX_SUGGESTIONS + 1,
        orderBy: 'pending',
        signal: overtaken.signal,
      }).then((page) => {
        if (page === 'overtaken') return;
        const found: Found =
          page === 'failed' ? { kind: 'failed' } : { kind: 'found', clients: page.clients };
        setAnswer({ found, searched: wanted });
      });
    const timer = setTimeout(search, wanted === '' ? 0 : SEARCH_DEBOUNCE);
    return () => {
      clearTimeout(timer);
      overtaken.abort();
    };
  }, [isOpen, wanted, attempt]);

  return { ...answer, retry: () => setAttempt(attempt + 1) };
}

/** Whether typing opens no on-screen keyboard, which would cover the list. */
const hasHardwareKeyboard = (): boolean => matchMedia('(pointer: fine)').matches;

const optionAt = (list: RefObject<HTMLElement | null>, index: number): HTMLElement | undefined =>
  list.current?.querySelectorAll<HTMLElement>('[role=option]')[index];
