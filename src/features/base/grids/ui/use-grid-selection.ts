import { useStore } from '@nanostores/react';
import { useEffect, useLayoutEffect, type RefObject } from 'react';
import {
  $gridSelection,
  NOTHING_SELECTED,
  selectAllState,
  withToggled,
  type GridSelection,
} from '../state.ts';
import type { PageTable } from './page-table.ts';

interface Options {
  /** The id of the form that does something with the selected rows. */
  form: string | undefined;
  isLive: boolean;
  /** The query of the rows, without the language. */
  parameters: Readonly<Record<string, string>>;
  total: number;
  /** What is said of the selection, by how many rows are selected. */
  textOf: (selection: GridSelection) => string;
  /** The page's table, whose selection it takes. */
  from: RefObject<PageTable | undefined>;
}

/** The selected rows of a grid: in its state, in the form that is sent, and on the document for the styles. */
export function useGridSelection({ form, isLive, parameters, total, textOf, from }: Options): {
  selection: GridSelection;
  selected: 'all' | 'some' | 'none';
  selectOne: (id: string) => void;
  selectAll: () => void;
} {
  const selection = useStore($gridSelection);
  const selected = selectAllState(selection, total);
  useSelectedRows(isLive ? form : undefined);
  useEffect(() => {
    $gridSelection.set(NOTHING_SELECTED); // of another query
  }, [parameters]);
  const all = (): GridSelection => ({
    kind: 'all',
    except: new Set(),
    query: new URLSearchParams(parameters).toString(),
    total,
  });
  useLayoutEffect(() => {
    const start = from.current?.selected;
    if (isLive && start) $gridSelection.set(start === 'all' ? all() : { kind: 'some', ids: new Set(start) });
  }, [isLive, from]);
  useEffect(() => {
    const count = document.getElementById(form ?? '')?.querySelector('[data-selection]');
    if (isLive && count) count.textContent = textOf(selection);
  }, [isLive, form, selection]);
  const isAnySelected = selected !== 'none';
  useEffect(() => {
    // shows what can be done with them (grid.css)
    if (isLive) document.documentElement.dataset['picked'] = String(isAnySelected);
  }, [isLive, isAnySelected]);
  return {
    selection,
    selected,
    selectOne: (id) => $gridSelection.set(withToggled($gridSelection.get(), id)),
    selectAll: () => $gridSelection.set(selected === 'all' ? NOTHING_SELECTED : all()),
  };
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
