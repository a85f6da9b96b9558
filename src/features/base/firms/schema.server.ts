import type { Generated } from 'kysely';
import type { Bit, Millis, TableDeclarations } from '#platform/database/schema.server.ts';

export const tables = {
  firms: { key: ['company_id'] },
  themes: { key: ['company_id'] },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    firms: Firms;
    themes: Themes;
  }
}

interface Firms {
  company_id: string;
  name: string;
  phone: string;
  email: string;
  language: string;
  locked: Bit;
  /** The IANA time zone of times in mails and receipts. */
  time_zone: Generated<string>;
  /** Who must use two-step sign-in, and from when. */
  second_step: Generated<'nobody' | 'staff' | 'everybody'>;
  second_step_from: Generated<Millis>;
  /** When staff received a test mail last. */
  mail_tested_at: Millis | null;
  /** Since when the checklist of the first day is no longer shown. */
  first_day_done_at: Millis | null;
  contact_person: Generated<string>;
  /** The postal address as JSON. */
  address: string | null;
  opening_hours: Generated<string>;
  /** Dates and names as JSON. */
  holidays: Generated<string>;
  /** The firm whose people try things in this one; null for real firms. Never changes. */
  practice_of: Generated<string | null>;
  /** Changes with every save of the firm's data. */
  details_version: Generated<string>;
}

interface Themes {
  company_id: string;
  header_fill_color: string;
  header_text_color: string;
  button_fill_color: string;
  button_text_color: string;
  header_line1: string;
  login_page_text: string;
  logo_key: string | null;
  logo_type: string | null;
  version: string;
  /** The banner shown in the header instead of the logo. */
  banner_key: string | null;
  banner_type: string | null;
  /** The page after sign-out; https, on one of LOGOUT_HOSTS. */
  logout_url: string | null;
  login_background: Generated<string>;
  /** An announcement shown to each contact once; empty for none. */
  announcement: Generated<string>;
}
