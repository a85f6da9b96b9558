import type { Millis, TableDeclarations } from '#platform/database/schema.server.ts';

export const tables = {
  practice_firms: { key: ['practice_of'] },
  practice_people: { key: ['member_id', 'company_id'] },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    practice_firms: PracticeFirms;
    practice_people: PracticePeople;
  }
}

/** The practice firm that the people of a firm use now. Those that were started over are locked and emptied, and have no row. */
interface PracticeFirms {
  practice_of: string;
  company_id: string;
  made_by: string;
  made_at: Millis;
}

/** Who somebody of a firm is in its practice firm. */
interface PracticePeople {
  member_id: string;
  company_id: string;
  contact_id: string;
}
