import type { Text } from '#platform/text/texts.ts';

/** What a kind of receipts confirms, as the feature that issues them declares it. */
interface ReceiptKindDeclaration {
  /** What lists call it. */
  label: Text;
  /** Its place among the kinds by which a list is filtered, in steps of ten; absent if nobody looks for it alone. */
  filterOrder?: number;
}

export type ReceiptKindDeclarations = Readonly<Record<string, ReceiptKindDeclaration>>;

/**
 * The kinds of receipts of each feature, which features add in feature.server.ts. A kind that several features issue
 * belongs to the lowest of them.
 *
 * @public
 */
export interface ReceiptKinds {
  receipts: object; // none of its own: an interface needs a member to be merged with
}

export type ReceiptKind = {
  [Feature in keyof ReceiptKinds]: keyof ReceiptKinds[Feature] & string;
}[keyof ReceiptKinds];
