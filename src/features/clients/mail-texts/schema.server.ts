import type { Encrypted, Millis, TableDeclarations } from '#platform/database/schema.server.ts';
import type { Lang } from '#platform/text/languages.ts';

export const tables = {
  mail_texts: {
    key: ['company_id', 'kind', 'lang'],
    encrypted: { subject: 'always', introduction: 'always' },
  },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    mail_texts: MailTexts;
  }
}

/** What a firm writes itself into emails of a kind, in a language; an empty text is that of the portal. */
interface MailTexts {
  company_id: string;
  kind: string;
  lang: Lang;
  subject: Encrypted;
  introduction: Encrypted;
  /** Raised with every change. */
  version: number;
  changed_at: Millis;
  changed_by: string;
}
