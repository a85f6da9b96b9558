import type { Millis, TableDeclarations } from '#platform/database/schema.server.ts';
import type { ReceiptKind } from './kinds.ts';

export const tables = {
  receipts: {
    key: ['company_id', 'number'],
    ofClient: { exported: 'receipts.csv', merged: { not: 'Its hash covers the client.' }, kept: 'always' },
  },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    receipts: Receipts;
  }
}

/** A receipt of a firm for bytes that it received, sent or removed. It outlives the document. */
interface Receipts {
  company_id: string;
  /** Numbered per firm, from 1, without gaps. */
  number: number;
  kind: ReceiptKind;
  document_id: string;
  client_id: string;
  name: string;
  size: number;
  sha256: string;
  /** The contact who acted, or the recipient of a link. */
  actor: string;
  at: Millis;
  /** The code required, besides the number, for public verification. */
  code: string;
  /** Covers the previous receipt. */
  hash: string;
}
