import type { Bit, Encrypted, Millis, TableDeclarations } from '#platform/database/schema.server.ts';

export const tables = {
  comments: {
    key: ['comment_id'],
    encrypted: { body: 'always' },
    ofClient: { exported: 'comments.csv', merged: 'follows', kept: { until: 'its document is purged' } },
  },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    comments: Comments;
  }
}

/** Comments of clients and staff on a document. `body` is encrypted. */
interface Comments {
  comment_id: string;
  company_id: string;
  client_id: string;
  document_id: string;
  body: Encrypted;
  created_by: string;
  by_staff: Bit;
  created_at: Millis;
}
