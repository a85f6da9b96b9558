import { withMask } from '#platform/inputs/masks.ts';
import type { PathTo } from '#platform/http/addresses.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import type { Column, RowAction } from '#ui/table/table.ts';
import { agencyName } from './agency-names.server.ts';
import type { ListedAttempt } from './attempts.server.ts';
import type { Followed } from './following.server.ts';
import { dayText, lightSentence } from './sentences.server.ts';
import { LIGHT_CHIPS, LIGHT_TEXTS, RESULT_TEXTS, STATUS_TEXTS } from './texts.ts';

/* The columns of lists, for staff and contacts. */

const NONE = '-';

/** The agencies of a client; `pageOf` is the address of each history. */
export function followedColumns(
  lang: Lang,
  {
    pageOf,
    ...context
  }: {
    today: string;
    firm: string;
    pageOf: (followed: Followed) => string;
  },
): Column<Followed>[] {
  const t = translationsFor(lang, 'clearance-certificates');
  return [
    {
      key: 'agency',
      label: t('agency'),
      text: ({ agencyId }) => agencyName(lang, agencyId),
      href: pageOf,
      note: (followed) => lightSentence(lang, followed, context),
      isRowHeader: true,
    },
    {
      key: 'light',
      label: t('state'),
      text: ({ light }) => t(LIGHT_TEXTS[light]),
      chip: ({ light }) => LIGHT_CHIPS[light],
      textStyle: 'phrase',
      isChip: true,
    },
    {
      key: 'result',
      label: t('result'),
      text: ({ result }) => (result === '' ? NONE : t(RESULT_TEXTS[result])),
      textStyle: 'phrase',
      isLabelled: true,
    },
    {
      key: 'validUntil',
      label: t('validUntil'),
      text: ({ validUntil }) => dayText(lang, validUntil) || NONE,
      isShort: true,
      isLabelled: true,
      isMinor: true,
      textStyle: 'meta',
    },
  ];
}

/** The history of an agency, the newest first. */
export function historyColumns(lang: Lang): Column<ListedAttempt>[] {
  const t = translationsFor(lang, 'clearance-certificates');
  const text = ({ status, result }: ListedAttempt): string =>
    result === '' ? t(STATUS_TEXTS[status]) : t(RESULT_TEXTS[result]);
  return [
    {
      key: 'what',
      label: t('columnWhat'),
      text,
      note: ({ note }) => note || undefined,
      isRowHeader: true,
    },
    {
      key: 'number',
      label: t('number'),
      text: ({ number, controlCode }) => number || controlCode || NONE,
      note: ({ cnpj }) => (cnpj === '' ? undefined : t('ofCnpj', { cnpj: withMask('cnpj', cnpj) })),
      isLabelled: true,
    },
    {
      key: 'issuedOn',
      label: t('issuedOn'),
      text: ({ issuedOn }) => dayText(lang, issuedOn) || NONE,
      isShort: true,
      isLabelled: true,
      textStyle: 'meta',
    },
    {
      key: 'validUntil',
      label: t('validUntil'),
      text: ({ validUntil }) => dayText(lang, validUntil) || NONE,
      isShort: true,
      isLabelled: true,
      textStyle: 'meta',
    },
  ];
}

/** What is done with the PDF of a row; nothing where there is none. The page of a document downloads and shares it, too. */
const pdfActions = (
  lang: Lang,
  pathTo: PathTo,
  documentId: string | null | undefined,
): { label: string; href: string }[] =>
  typeof documentId !== 'string'
    ? []
    : [
        {
          label: translationsFor(lang, 'clearance-certificates')('openPdf'),
          href: pathTo(`documents/${documentId}/view`),
        },
      ];

/** The actions of the rows of a history; `more` are those of staff. */
export const historyActions = (
  lang: Lang,
  pathTo: PathTo,
  more: (attempt: ListedAttempt) => readonly RowAction[] = () => [],
) => ({
  label: translationsFor(lang, 'clearance-certificates')('actions'),
  nameOf: ({ issuedOn, number }: ListedAttempt): string => `${number} ${dayText(lang, issuedOn)}`.trim(),
  of: (attempt: ListedAttempt): readonly RowAction[] => [
    ...pdfActions(lang, pathTo, attempt.documentId),
    ...more(attempt),
  ],
});

/** The actions of the agencies of a client; `documents` are the newest PDFs by the ids of their certificates. */
export const followedActions = (lang: Lang, pathTo: PathTo, documents: ReadonlyMap<string, string>) => ({
  label: translationsFor(lang, 'clearance-certificates')('actions'),
  nameOf: ({ agencyId }: Followed): string => agencyName(lang, agencyId),
  of: ({ currentAttemptId: id }: Followed): readonly RowAction[] =>
    pdfActions(lang, pathTo, documents.get(id ?? '')),
});
