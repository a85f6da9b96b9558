import { atom } from 'nanostores';

/** A selected row: the value of its checkbox, its name, and the checkbox's `data-` attributes. */
export interface SelectedRow {
  id: string;
  name: string;
  data: Readonly<DOMStringMap>;
}

/** The selected rows of the page's table, in the order of the table. */
export const $selection = atom<readonly SelectedRow[]>([]);
