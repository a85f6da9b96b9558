import type { Encrypted, Millis, TableDeclarations } from '#platform/database/schema.server.ts';
import type { Rating } from './feedback.ts';

export const tables = {
  feedback: { key: ['feedback_id'], encrypted: { message: 'always' } },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    feedback: FeedbackTable;
  }
}

/** Feedback of people of a firm, for those who manage it. `message` is encrypted. */
interface FeedbackTable {
  feedback_id: string;
  company_id: string;
  contact_id: string;
  article: string | null;
  page: string;
  rating: Rating;
  message: Encrypted;
  created_at: Millis;
  seen_at: Millis | null;
}
