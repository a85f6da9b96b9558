import { firmOf } from '#features/base/firms/firms.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import {
  composePdf,
  paperOf,
  type DocumentContent,
  type DocumentSection,
} from '#features/documents/seals/composing.server.ts';
import { LANGUAGES, type Lang } from '#platform/text/languages.ts';
import { attachment } from '#platform/http/send-file.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import type { EstimateView, Fact, ReceiptView } from './estimate-view.server.ts';

/** The text of an empty cell: screen readers skip cells without any content. */
const EMPTY = '–';

/** The estimate as a PDF that screen readers read, as an attachment. TOO_MANY if too many wait. */
export async function estimatePdf(actor: Actor, view: EstimateView, lang: Lang): Promise<Response> {
  const { name } = await firmOf(actor.companyId);
  const bytes = await composePdf(actor, contentOf(view, name, lang), paperOf(lang));
  return new Response(new Uint8Array(bytes), {
    headers: {
      'Content-Type': 'application/pdf',
      'Content-Disposition': attachment(`${view.title}.pdf`),
      'Content-Security-Policy': "sandbox; default-src 'none'",
      'Cache-Control': 'no-store, no-transform',
    },
  });
}

function contentOf(view: EstimateView, firm: string, lang: Lang): DocumentContent {
  const t = translationsFor(lang, 'payroll-simulations');
  return {
    language: LANGUAGES[lang],
    title: view.title,
    lead: `${view.summary.replace(/\.$/, '')}. ${view.disclaimer}`,
    sections: [
      ...view.receipts.flatMap((receipt) => receiptSections(receipt, lang)),
      ...list(
        t('rules'),
        view.findings.map(({ mark, text, law }) => ({ label: mark, value: `${text} (${law})` })),
      ),
      ...list(t('entered'), view.facts),
      ...list(
        t('notes'),
        view.notes.map((value) => ({ label: '', value })),
      ),
    ],
    footer: `${firm} · ${view.title}`,
  };
}

const list = (title: string, items: Fact[]): DocumentSection[] =>
  items.length === 0 ? [] : [{ kind: 'list', title, items }];

function receiptSections(
  { title, facts, rows, totals, missing }: ReceiptView,
  lang: Lang,
): DocumentSection[] {
  const t = translationsFor(lang, 'payroll-simulations');
  const head = missing === undefined ? facts : [...facts, { label: '', value: missing }];
  if (rows.length === 0) return list(title, [...head, ...totals]);
  return [
    ...list(title, head),
    {
      kind: 'table',
      title: t('amounts'),
      columns: [
        { label: t('item'), share: 0.28 },
        { label: t('how'), share: 0.34 },
        { label: t('law'), share: 0.22 },
        { label: t('amount'), share: 0.16 },
      ],
      rows: [
        ...rows.map(({ label, how, law, amount }) => [label, how || EMPTY, law || EMPTY, amount]),
        ...totals.map(({ label, value }) => [label, EMPTY, EMPTY, value]),
      ],
    },
  ];
}
