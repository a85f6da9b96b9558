import type { Contributions } from '#platform/runtime/feature.server.ts';
import { db } from '#platform/database/database.server.ts';
import { formatNumber } from '#platform/text/formats.ts';
import { text } from '#platform/text/texts.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';

export const settingsRows: Contributions['settings'] = [
  {
    page: 'staff/audit',
    group: 'records',
    icon: 'clipboard-list',
    order: 170,
    title: text('staff', 'auditTitle'),
    text: text('staff', 'auditText'),
    permission: 'ManageFirm',
    state: async ({ lang, locale, session }) => {
      const head = await db()
        .selectFrom('audit_heads')
        .select('seq')
        .where('company_id', '=', session.actor.companyId)
        .executeTakeFirst();
      const count = head?.seq ?? 0;
      return translationsFor(lang, 'staff')('settingsEntries', {
        count,
        number: formatNumber(locale, count),
      });
    },
  },
];
