import { openUndamaged } from '#platform/storage/blobs.server.ts';
import { db } from '#platform/database/database.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import { addressLines } from '#platform/inputs/address-fields.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { exportedTable } from '#platform/tabular/exported-table.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { detailsIn } from './internal/details.server.ts';
import { firmById } from './internal/store.server.ts';

/** What a firm tells about itself, and how its portal looks, with its logo and banner. */
export const exportedFirm: Contributions['exports'][number] = {
  of: 'export',
  name: 'firm.csv',
  text: text('firms', 'exportFile'),
  isInternal: true,
  content: ({ lang, firm }) => exportedTable(lang, ['field', 'value'], firmRows(lang, firm.companyId)),
  attached: ({ firm }) => pictures(firm.companyId),
};

async function* firmRows(lang: Lang, companyId: string) {
  const row = await firmById(companyId);
  if (!row) return;
  const t = translationsFor(lang, 'firms');
  const { contactPerson, address, openingHours, holidays } = detailsIn(row);
  const { second_step: secondStep } = await db()
    .selectFrom('firms')
    .select('second_step')
    .where('company_id', '=', companyId)
    .executeTakeFirstOrThrow();
  const details: [field: string, value: string][] = [
    [t('name'), row.name],
    [t('contactPerson'), contactPerson],
    [t('phone'), row.phone],
    [t('email'), row.email],
    [t('address'), address === null ? '' : addressLines(address, lang).join(', ')],
    [t('language'), row.language],
    [t('openingHours'), openingHours],
    ...holidays.map(({ date, name }): [string, string] => [t('holidays'), `${date} ${name}`.trim()]),
    ['time_zone', row.time_zone],
    ['second_step', secondStep],
  ];
  for (const [field, value] of details) yield { field, value };
  const theme = await db()
    .selectFrom('themes')
    .select([
      'header_fill_color',
      'header_text_color',
      'button_fill_color',
      'button_text_color',
      'header_line1',
      'login_page_text',
      'login_background',
      'announcement',
      'logout_url',
    ])
    .where('company_id', '=', companyId)
    .executeTakeFirst();
  for (const [field, value] of Object.entries(theme ?? {})) yield { field, value };
}

async function* pictures(companyId: string) {
  const theme = await db()
    .selectFrom('themes')
    .select(['logo_key', 'logo_type', 'banner_key', 'banner_type'])
    .where('company_id', '=', companyId)
    .executeTakeFirst();
  const stored = [
    ['logo', theme?.logo_key, theme?.logo_type],
    ['banner', theme?.banner_key, theme?.banner_type],
  ] as const;
  for (const [name, key, type] of stored) {
    const bytes = key ? await openUndamaged(key) : undefined;
    if (bytes) yield { name: `${name}.${type?.split('/')[1] ?? 'bin'}`, content: () => bytes };
  }
}
