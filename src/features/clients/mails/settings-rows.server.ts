import type { Contributions } from '#platform/runtime/feature.server.ts';
import { bounceMailboxProblem } from '#platform/mail/bounce-mailbox.server.ts';
import { db } from '#platform/database/database.server.ts';
import { formatDate } from '#platform/text/formats.ts';
import { text } from '#platform/text/texts.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';

export const settingsRows: Contributions['settings'] = [
  {
    page: 'staff/mails',
    group: 'files',
    icon: 'mail',
    order: 130,
    title: text('mails', 'title'),
    text: text('mails', 'settingsText'),
    state: async ({ lang, locale, timeZone, session: { actor } }) => {
      const t = translationsFor(lang, 'mails');
      const managesFirm = actor.access.permissions.has('ManageFirm');
      if (managesFirm && (await bounceMailboxProblem()) !== undefined) return t('settingsReportsUnread');
      const firm = await db()
        .selectFrom('firms')
        .select('mail_tested_at')
        .where('company_id', '=', actor.companyId)
        .executeTakeFirst();
      const testedAt = firm?.mail_tested_at ?? null;
      return testedAt === null
        ? t('settingsNotTested')
        : t('settingsTested', { date: formatDate(locale, testedAt, timeZone) });
    },
  },
];
