/** The data of a list, which Table.astro renders, and of its filters (FilterForm.astro). */
import type { FieldView } from '#platform/forms/forms.ts';
import type { Chip } from '../chips.ts';
import type { Markup } from '../markup.ts';

/**
 * A column, whose cells are text, a link, a moment, markup (for long lists) or a component (Astro passes no functions to
 * slots).
 */
export interface Column<Row> {
  key: string;
  label: string;
  /** Only screen readers get the label. */
  labelHidden?: true;
  text?: (row: Row) => string;
  href?: (row: Row) => string | undefined;
  /** A moment, in epoch ms or ISO. */
  at?: (row: Row) => number | string | undefined;
  /** Shows of a moment what a list needs (short-moment.ts). */
  isShortMoment?: true;
  /** How the text looks if it is a state; pages with chips import chip.css. */
  chip?: (row: Row) => Chip | undefined;
  /** The whole text of a cell, where it shows less. */
  title?: (row: Row) => string | undefined;
  markup?: (row: Row) => Markup;
  cell?: (props: { row: Row }) => unknown;
  /** Secondary text after the content. */
  note?: (row: Row) => string | undefined;
  /** Whether the text says that something went wrong: it gets an icon and the color of danger. */
  isProblem?: (row: Row) => boolean;
  /** The value of the sort parameter, for a sortable column. */
  sort?: string;
  isRowHeader?: true;
  isNumber?: true;
  /** The text is the portal's own, so that nothing in it needs isolation from its surroundings. */
  isPlain?: true;
  /** Small type for secondary data; no breaks inside words for people and phrases. */
  textStyle?: 'meta' | 'person' | 'phrase';
  /** A class of a cell, besides those of its column. */
  classOf?: (row: Row) => string | undefined;
  /** Hidden on phones: the page that the row opens shows it. */
  isMinor?: true;
  /** Short texts of the portal's own, such as states, dates and numbers: a grid cuts none of them. */
  isShort?: boolean;
  /** All cells are states (`chip`). */
  isChip?: true;
  /** Lines for which a grid makes the column wide enough. */
  widest?: string | undefined;
  /** Takes a line of its own on phones. */
  isWide?: true;
  /** Shows the label before the content on phones, where it would be unclear without one. */
  isLabelled?: true;
}

/** An action of a row: a link, or a button of the page's form. */
export type RowAction = { label: string; isDangerous?: boolean } & (
  | { href: string }
  | {
      name: string;
      value: string;
      /** The id of the button's form, unless it contains the table. */
      form?: string;
    }
);

export interface PagerLinks {
  label: string;
  /** "1 – 25 of 340"; omitted where the total is unknown. */
  range?: string;
  previousLabel: string;
  nextLabel: string;
  previousUrl: string | undefined;
  nextUrl: string | undefined;
}

export interface TableProps<Row> {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** The text of the empty state; the slot `empty` has the next step. */
  empty: string;
  /** The current order. The headings of sortable columns link to the others. */
  order?:
    { by: string; dir: 'asc' | 'desc'; urlFor: (by: string, dir: 'asc' | 'desc') => string } | undefined;
  select?:
    | {
        name: string;
        /** The id of the checkboxes' form, unless it contains the table. */
        form?: string;
        valueOf: (row: Row) => string;
        labelOf: (row: Row) => string;
        dataOf?: (row: Row) => Record<`data-${string}`, string>;
        /** Rows that cannot be selected have no checkbox. */
        isSelectable?: (row: Row) => boolean;
        /** Rows that are selected when the page opens. */
        isSelected?: (row: Row) => boolean;
        allLabel: string;
      }
    | undefined;
  /** The actions of each row. Screen readers also get the row's name. */
  actions?:
    | {
        label: string;
        nameOf: (row: Row) => string;
        of: (row: Row) => readonly RowAction[];
        /** One below the other, where there are several with long labels. */
        areStacked?: true;
        /** All in one menu, which a page with acts-menu.css shows. */
        menu?: {
          idOf: (row: Row) => string;
          labelOf: (row: Row) => string;
          /** Which actions are in it, where others are buttons before it. */
          has?: (action: RowAction) => boolean;
        };
      }
    | undefined;
  pager?: PagerLinks | undefined;
  isNew?: (row: Row) => boolean;
  /** The present (epoch ms), for columns with short moments. */
  now?: number;
  class?: string;
  /** The address of the list's fragment, for htmx. */
  fragment?: (url: string) => string;
}

/** The filter form of a list and its active filters. */
export interface FilterView {
  id: string;
  title: string;
  submit: string;
  fields: readonly FieldView[];
  /** The label of the button that shows all fields on phones. */
  moreLabel: string;
  activeLabel: string;
  /** With `isOfMenu`, a menu beside the form sets the filter. */
  active: readonly { text: string; removeLabel: string; removeUrl: string; isOfMenu?: true }[];
  /** True if phones show all fields from the start. */
  isOpen?: boolean;
  /** The number of results as a sentence; empty without an active filter. */
  resultText: string;
}
