import type { Millis, TableDeclarations } from '#platform/database/schema.server.ts';

export const tables = {
  access_review_plans: { key: ['company_id'] },
  access_reviews: { key: ['review_id'] },
  access_review_items: {
    key: ['review_id', 'number'],
    ofClient: {
      exported: 'access-reviews.csv',
      merged: { not: 'A review names whom it was about then.' },
      kept: 'with client',
    },
  },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    access_review_plans: AccessReviewPlans;
    access_reviews: AccessReviews;
    access_review_items: AccessReviewItems;
  }
}

interface AccessReviewPlans {
  company_id: string;
  /** 0 for no reviews. */
  interval_months: number;
  /** When the next one begins. */
  starts_at: Millis;
}

/** At most one of a firm is open. */
interface AccessReviews {
  review_id: string;
  company_id: string;
  started_at: Millis;
  due_at: Millis;
  finished_at: Millis | null;
}

/** An access as it was when the review began, and what was decided. */
interface AccessReviewItems {
  review_id: string;
  number: number;
  contact_id: string;
  /** Null for staff. */
  client_id: string | null;
  /** Of staff, and whether they act for all clients: `manager all`, `member assigned`; empty for contacts. */
  role: string;
  seen_at: Millis | null;
  decision: '' | 'confirmed' | 'removed';
  decided_by: string | null;
  decided_at: Millis | null;
}
