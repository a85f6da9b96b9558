import type { Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import {
  FISCAL_TEXTS,
  type DocumentKind,
  type FiscalDocument,
  type FiscalEntry,
  type FiscalEvent,
  type FiscalText,
  type Role,
} from './fiscal-xml.ts';
import { fiscalFormats } from './formats.server.ts';
import { parseKey } from './keys.ts';

/* What a document or event is, in a sentence or two for somebody who knows none of its fields. */

const KIND_NAMES: Readonly<Record<DocumentKind, FiscalText>> = {
  'NF-e': 'kindNfe',
  'NFC-e': 'kindNfce',
  'CT-e': 'kindCte',
  'CT-e OS': 'kindCteOs',
  'GTV-e': 'kindGtve',
  'MDF-e': 'kindMdfe',
  'CF-e': 'kindCfe',
  'NFS-e': 'kindNfse',
  DPS: 'kindDps',
  NFCom: 'kindNfcom',
  'NF3-e': 'kindNf3e',
  'BP-e': 'kindBpe',
};
/** Kinds whose noun is masculine in all languages that have genders. */
const MASCULINE: ReadonlySet<DocumentKind> = new Set(['CT-e', 'CT-e OS', 'MDF-e', 'CF-e', 'BP-e']);

/** The kinds by the model in their keys. */
const KINDS_BY_MODEL: Readonly<Record<string, DocumentKind>> = {
  55: 'NF-e',
  57: 'CT-e',
  58: 'MDF-e',
  59: 'CF-e',
  62: 'NFCom',
  63: 'BP-e',
  64: 'GTV-e',
  65: 'NFC-e',
  66: 'NF3-e',
  67: 'CT-e OS',
};

/** From whom and to whom a document is, first of these that it names. */
const FROM: readonly Role[] = ['issuer', 'provider'];
const TO: readonly Role[] = ['recipient', 'taker', 'buyer', 'passenger'];

/** Says what an entry of a file is: who issued it for whom, how much it is, and where it stands. */
export function plainWords(lang: Lang, entry: FiscalEntry): string {
  if (entry.kind === 'event') return `${eventSentence(lang, entry)} ${eventStateSentence(lang, entry)}`;
  if (entry.kind !== 'void') return `${documentSentence(lang, entry)} ${stateSentence(lang, entry)}`;
  const { first, last, series } = entry;
  const t = translationsFor(lang, FISCAL_TEXTS);
  const sentence = t(first === last ? 'plainVoidOne' : 'plainVoid', { first, last, series });
  return `${sentence} ${eventStateSentence(lang, entry)}`;
}

const kindName = (lang: Lang, kind: DocumentKind): string =>
  translationsFor(lang, FISCAL_TEXTS)(KIND_NAMES[kind]);

/** Says what a document is: from whom, to whom, and how much. */
export function documentSentence(lang: Lang, { kind, number, parties, totals }: FiscalDocument): string {
  const t = translationsFor(lang, FISCAL_TEXTS);
  const nameOf = (roles: readonly Role[]): string => {
    const party = parties.find(({ role, isTaker }) => isTaker && roles === TO && role === 'taker');
    const found = party ?? roles.map((role) => parties.find((each) => each.role === role)).find(Boolean);
    return found ? found.name || fiscalFormats(lang).taxId(found.taxId) : '';
  };
  const [issuer, recipient] = [nameOf(FROM) || t('noName'), nameOf(TO)];
  const total = totals.total === '' ? '' : fiscalFormats(lang).money(totals.total);
  const vars = { kind: kindName(lang, kind), number, issuer, recipient, total };
  if (number === '') return t('plainUnnumbered', vars);
  if (total === '') return t(recipient === '' ? 'plainFromUnpriced' : 'plainFromToUnpriced', vars);
  return t(recipient === '' ? 'plainFrom' : 'plainFromTo', vars);
}

/** Says where a document stands, as far as its file says. */
export function stateSentence(lang: Lang, document: FiscalDocument): string {
  const t = translationsFor(lang, FISCAL_TEXTS);
  const { kind, state, stateAt, protocol } = document;
  const date = fiscalFormats(lang).moment(stateAt);
  const reason = protocol ? `${protocol.status} ${protocol.reason}`.trim() : '–';
  switch (state) {
    case 'authorized':
      if (date === '') return t('stateAuthorizedUndated');
      if (kind === 'NFS-e') return t('stateMade', { date });
      return t(MASCULINE.has(kind) ? 'stateAuthorizedMasculine' : 'stateAuthorizedFeminine', { date });
    case 'cancelled':
      return date === '' ? t('stateCancelledUndated') : t('stateCancelled', { date });
    case 'denied':
      return t('stateDenied', { reason });
    case 'rejected':
      return t('stateRejected', { reason });
    case 'noProtocol':
      return t(kind === 'DPS' ? 'declarationOnly' : 'stateNoProtocol');
    case 'wrongProtocol':
      return t('stateWrongProtocol');
    case 'unproven':
      return t(kind === 'CF-e' ? 'stateDevice' : 'stateUnproven');
  }
}

/** The name of an event: ours, or that of the file. */
export function eventName(lang: Lang, { name, description, type }: FiscalEvent): string {
  const t = translationsFor(lang, FISCAL_TEXTS);
  return name ? t(name) : description || t('eventOther', { type });
}

/** Says what happened to which document. */
export function eventSentence(lang: Lang, event: FiscalEvent): string {
  const t = translationsFor(lang, FISCAL_TEXTS);
  const parts = parseKey(event.key);
  const kind = parts && KINDS_BY_MODEL[parts.model];
  const number = parts?.number.replace(/^0+(?=\d)/, '') ?? '';
  const document =
    kind === undefined
      ? `${t('accessKey')} ${event.key || t('noName')}`
      : t('numbered', { kind: kindName(lang, kind), number });
  const vars = { event: eventName(lang, event), document, date: fiscalFormats(lang).moment(event.at) };
  return event.at === '' ? t('plainEventUndated', vars) : t('plainEvent', vars);
}

/** Says whether an event was registered, as far as its file says. */
export function eventStateSentence(
  lang: Lang,
  { state, registeredAt }: Pick<FiscalEvent, 'state' | 'registeredAt'>,
): string {
  const t = translationsFor(lang, FISCAL_TEXTS);
  const date = fiscalFormats(lang).moment(registeredAt);
  switch (state) {
    case 'registered':
      return date === '' ? t('eventRegisteredUndated') : t('eventRegistered', { date });
    case 'rejected':
      return t('eventRejected');
    case 'noProtocol':
      return t('eventNoProtocol');
    case 'unproven':
      return t('eventUnproven');
  }
}
