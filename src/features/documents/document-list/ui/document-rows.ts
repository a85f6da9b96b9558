import { iconMarkup } from '#ui/icon-markup.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { documentAddress } from '#features/documents/documents/addresses.ts';
import type { Document } from '#features/documents/documents/documents.ts';
import { shortName } from './names.ts';

/** A document with what its row shows and links to. */
export interface DocumentRow extends Document {
  /** The page that shows it; undefined if it can only be downloaded. */
  viewUrl: string | undefined;
  /** The page of its comments, if it has any. */
  commentsUrl: string | undefined;
  /** Who gave it to whom. */
  direction: string;
  /** The name of its folder, unless that is the open one or says no more than the direction. */
  folder: string | undefined;
}

/** What rows say besides what they are about. */
export interface RowTexts {
  infected: string;
  damaged: string;
  notSubmitted: string;
  unread: string;
  locked: string;
  comments: (count: number) => string;
  download: string;
  menu: string;
}

/** The name of a document in a list, with its states. The whole row opens it. */
export function nameCell(row: DocumentRow, texts: RowTexts): Markup {
  const { isReadByClientUser: isRead, commentsUrl } = row;
  return markup`${!isRead && markup`<span class="dot"></span>`}${linkOf(row, texts)}${
    row.isDamaged && markup` <strong class="field-error">${texts.damaged}</strong>`
  }${!isRead && markup`<span class="visually-hidden"> (${texts.unread})</span>`}${
    row.isNotSubmitted && markup` <small>${texts.notSubmitted}</small>`
  }${row.isLocked && markup` <small>${iconMarkup('lock')} ${texts.locked}</small>`}${
    commentsUrl !== undefined &&
    markup` <a class="meta" href="${commentsUrl}">${texts.comments(row.commentsCount)}</a>`
  }`;
}

function linkOf(row: DocumentRow, { infected }: RowTexts): Markup {
  const short = shortName(row.name);
  const name =
    short === row.name ? markup`<bdi>${short}</bdi>` : markup`<bdi title="${row.name}">${short}</bdi>`;
  return row.scan === 'infected'
    ? markup`<span>${name} <strong class="field-error">${infected}</strong></span>`
    : markup`<a href="${row.viewUrl ?? documentAddress(row)}">${name}</a>`;
}

/** Which way a document went, and its folder where that says more. */
export const originCell = ({ direction, folder }: DocumentRow): Markup =>
  markup`<bdi>${direction}</bdi>${folder !== undefined && markup`<bdi class="in">${folder}</bdi>`}`;

/**
 * The end of a row: its download and the button of its menu (DocumentMenu.astro).
 * Their icons are in document-list.css, like that of its kind: three hundred from the sprite would keep a phone busy.
 */
export const actsCell = (row: DocumentRow, { download, menu }: RowTexts): Markup =>
  markup`${
    row.scan !== 'infected' &&
    markup`<a class="get" href="${documentAddress(row)}" aria-label="${download}"></a>`
  }<button type="button" class="row-menu" popovertarget="row-menu" aria-label="${menu}"></button>`;
