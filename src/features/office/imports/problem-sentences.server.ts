import type { Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { fieldLabel } from './field-labels.server.ts';
import type { RowProblemOf } from './imports.ts';

/** What is wrong with a row, as sentences. */
export function problemSentences(
  lang: Lang,
  {
    problems,
    duplicateOf,
    repaired,
  }: {
    problems: readonly RowProblemOf[];
    duplicateOf?: { title: string } | undefined;
    repaired?: string | undefined;
  },
): string {
  const t = translationsFor(lang, 'imports');
  return problems
    .map(({ code, field, line }) =>
      t(`problem_${code}`, {
        field: field === undefined ? '' : fieldLabel(lang, field),
        line: line ?? 0,
        client: duplicateOf?.title ?? '',
        number: repaired ?? '',
      }),
    )
    .join(' ');
}
