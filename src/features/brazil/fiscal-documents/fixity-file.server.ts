import { firmOf } from '#features/base/firms/firms.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { composePdf, paperOf } from '#features/documents/seals/composing.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { csvOf, csvSeparator } from '#platform/tabular/csv-writer.ts';
import { formatDate, formatNumber } from '#platform/text/formats.ts';
import { DEFAULT_LANG, languageOf, LANGUAGES } from '#platform/text/languages.ts';
import { dayOf } from '#platform/text/time-zones.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { fixityReport } from './fixity.server.ts';

/** A moment as a day, `2037-10-14`, which every spreadsheet reads; empty without one. */
const dayText = (at: number | null): string => (at === null ? '' : dayOf(at, 'UTC'));

/** The report on stored files as CSV, in the language of who asks: a line for each client, then one for each damaged file. */
export async function fixityFile(actor: Actor): Promise<string> {
  const lang = languageOf(actor.language) ?? DEFAULT_LANG;
  const t = translationsFor(lang, 'fiscal-documents');
  const { clients, damaged } = await fixityReport(actor);
  return csvOf(
    [
      t('columnClient'),
      t('columnFile'),
      t('columnFiles'),
      t('columnOldest'),
      t('columnKeptUntil'),
      t('columnCheckedSince'),
      t('columnState'),
      t('columnNoticedAt'),
    ],
    [
      ...clients.map(({ name, files, oldest, keptUntil, checkedSince, damagedPacks }) => [
        name,
        '',
        files,
        dayText(oldest),
        dayText(keptUntil),
        dayText(checkedSince),
        t(damagedPacks > 0 ? 'stateDamaged' : 'stateUndamaged'),
        '',
      ]),
      ...damaged.map(({ client, name, noticedAt }) => [
        client,
        name,
        '',
        '',
        '',
        '',
        t('stateFileDamaged'),
        noticedAt === 0 ? '' : dayText(noticedAt),
      ]),
    ],
    csvSeparator(lang),
  );
}

/** What a screen reader says of an empty cell. */
const NONE = '–';

/** The same as a PDF that screen readers read, with the sum of all. TOO_MANY if too many wait. */
export async function fixityPdf(actor: Actor): Promise<Uint8Array> {
  const lang = languageOf(actor.language) ?? DEFAULT_LANG;
  const t = translationsFor(lang, 'fiscal-documents');
  const locale = LANGUAGES[lang];
  const firm = await firmOf(actor.companyId);
  const { clients, damaged } = await fixityReport(actor);
  const day = (at: number | null): string => (at === null ? NONE : formatDate(locale, at, 'UTC'));
  const files = clients.reduce((sum, row) => sum + row.files, 0);
  const isDamaged = clients.some(({ damagedPacks }) => damagedPacks > 0);
  return composePdf(
    actor,
    {
      language: locale,
      title: t('fixityTitle'),
      lead: t('fixityText'),
      sections: [
        {
          kind: 'list',
          title: t('fixitySummary'),
          items: [
            { label: t('fixityMadeOn'), value: formatDate(locale, now(), firm.timeZone) },
            { label: t('columnFiles'), value: formatNumber(locale, files) },
            { label: t('columnState'), value: t(isDamaged ? 'stateDamaged' : 'fixityGood') },
          ],
        },
        {
          kind: 'table',
          title: t('fixityTitle'),
          columns: [
            { label: t('columnClient'), share: 0.28 },
            { label: t('columnFiles'), share: 0.11 },
            { label: t('columnOldest'), share: 0.16 },
            { label: t('columnKeptUntil'), share: 0.16 },
            { label: t('columnCheckedSince'), share: 0.15 },
            { label: t('columnState'), share: 0.14 },
          ],
          rows: clients.map((row) => [
            row.name,
            formatNumber(locale, row.files),
            day(row.oldest),
            day(row.keptUntil),
            day(row.checkedSince),
            t(row.damagedPacks > 0 ? 'stateDamaged' : 'stateUndamaged'),
          ]),
        },
        ...(damaged.length === 0
          ? []
          : [
              {
                kind: 'table' as const,
                title: t('fixityDamagedTitle'),
                columns: [
                  { label: t('columnFile'), share: 0.45 },
                  { label: t('columnClient'), share: 0.35 },
                  { label: t('columnNoticedAt'), share: 0.2 },
                ],
                rows: damaged.map(({ name, client, noticedAt }) => [
                  name,
                  client,
                  day(noticedAt === 0 ? null : noticedAt),
                ]),
              },
            ]),
      ],
      footer: `${firm.name} · ${t('fixityTitle')}`,
    },
    paperOf(lang),
  );
}
