import { contributedByName } from '#platform/runtime/feature.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { translate } from '#platform/text/texts.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import type { ReceiptKindDeclarations } from './kinds.ts';
import type { Receipt } from './receipts.server.ts';

declare module '#platform/runtime/feature.server.ts' {
  interface Contributions {
    /** The kinds of receipts that it issues. */
    receiptKinds: ReceiptKindDeclarations;
  }
}

/** What lists call a kind of receipts; the name of a kind that no feature declares any more. */
export function receiptKindText(lang: Lang, kind: Receipt['kind']): string {
  if (kind === 'publish') return translationsFor(lang, 'receipts')('publish');
  const declared = contributedByName('receiptKinds').get(kind);
  return declared ? translate(lang, declared.label) : kind;
}

/** The kinds by which a list is filtered, in their order: what people look for. */
export const filterKinds = (): Receipt['kind'][] =>
  [...contributedByName('receiptKinds')]
    .filter(([, { filterOrder }]) => filterOrder !== undefined)
    .toSorted(([, one], [, other]) => (one.filterOrder ?? 0) - (other.filterOrder ?? 0))
    .map(([kind]) => kind as Receipt['kind']);
