import { useLayoutEffect, useRef, type KeyboardEvent } from 'react';
import type { T } from '#platform/text/messages.ts';
import type { GridRow } from '../grids.ts';
import type { GridWord } from './grid-words.ts';

export interface OpenMenu {
  row: GridRow;
  /** The button that opened it. */
  at: HTMLElement;
}

interface Props {
  menu: OpenMenu;
  t: T<GridWord>;
  onClose: () => void;
}

const ITEMS = 'a, button';

/** The actions of a row, in front of everything beside the button that opens it. */
export function RowMenu({ menu: { row, at }, t, onClose }: Props) {
  const list = useRef<HTMLUListElement>(null);
  useLayoutEffect(() => {
    const panel = list.current;
    if (!panel) return undefined;
    panel.showPopover();
    const { bottom, right, top } = at.getBoundingClientRect();
    const { offsetHeight: height, offsetWidth: width } = panel;
    panel.style.insetBlockStart = `${bottom + height > innerHeight ? Math.max(0, top - height) : bottom}px`;
    panel.style.insetInlineStart = `${Math.max(0, right - width)}px`;
    panel.querySelector<HTMLElement>(ITEMS)?.focus();
    const closed = (event: Event): void => {
      if (!(event instanceof ToggleEvent) || event.newState !== 'closed') return;
      if (panel.contains(document.activeElement) || document.activeElement === document.body)
        at.closest<HTMLElement>('td')?.focus();
      onClose();
    };
    panel.addEventListener('toggle', closed);
    return () => panel.removeEventListener('toggle', closed);
  }, [at, onClose]);

  function press(event: KeyboardEvent): void {
    const links = [...(list.current?.querySelectorAll<HTMLElement>(ITEMS) ?? [])];
    const here = links.findIndex((link) => link === document.activeElement);
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Tab') {
      event.preventDefault();
      list.current?.hidePopover();
      at.closest<HTMLElement>('td')?.focus();
    }
    if (by === undefined) return;
    event.preventDefault();
    links.at((here + by) % links.length)?.focus();
  }

  return (
    <ul
      ref={list}
      popover="auto"
      role="menu"
      className="acts-menu"
      aria-label={t('rowActions', { name: row.name })}
      onKeyDown={press}
    >
      {row.actions.map((action) => (
        <li key={action.label} role="none">
          {'href' in action ? (
            <a role="menuitem" href={action.href} tabIndex={-1}>
              {action.label}
            </a>
          ) : (
            <button role="menuitem" name={action.name} value={action.value} form={action.form} tabIndex={-1}>
              {action.label}
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}
