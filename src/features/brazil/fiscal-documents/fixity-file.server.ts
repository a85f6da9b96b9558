import type { Actor } from '#features/base/people/people.ts';
import { csvOf, csvSeparator } from '#platform/tabular/csv-writer.ts';
import { DEFAULT_LANG, languageOf } from '#platform/text/languages.ts';
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
