import { languageOfFirm } from '#features/base/firms/firms.server.ts';
import { textIn } from '#features/tasks/questionnaires/rules.ts';
import type { Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { ukTaxYear } from './rules.ts';
import { formTitles, type FormTitle } from './task-forms.server.ts';
import type { TaskType } from './tasks.ts';

/** Labels of the spec's programs that are translated (section 9); the second may be followed by a number. */
const KNOWN_LABELS = {
  'review document': 'labelReview',
  'document request': 'labelDocumentRequest',
  'esignature request': 'labelSignature',
  'approval request': 'labelApproval',
} as const;
const INVOICE = /^payment request - invoice #\s*(\S*)$/i;

/**
 * The title of a task in the reader's language: its label, else that of its form, else its type. A tax questionnaire
 * has its year: 2026, or 2025/26 before the label in the United Kingdom (spec 2 section 2).
 */
export function taskTitle(
  lang: Lang,
  { type, kind, label, taxYear }: { type: TaskType; kind: string; label: string; taxYear: number | null },
  form?: FormTitle,
): string {
  const t = translationsFor(lang, 'tasks');
  const known = KNOWN_LABELS[label.toLowerCase() as keyof typeof KNOWN_LABELS] as
    (typeof KNOWN_LABELS)[keyof typeof KNOWN_LABELS] | undefined;
  const [, invoice] = INVOICE.exec(label) ?? [];
  const text =
    invoice === undefined
      ? known
        ? t(known)
        : label ||
          (form
            ? textIn(
                form.label,
                lang,
                form.taxYear === undefined && taxYear !== null ? { ...form, taxYear } : form,
              )
            : t(`type_${type}`))
      : t('labelInvoice', { number: invoice });
  if (taxYear === null) return text;
  const isUk = kind === 'uk-personal' || form?.country === 'GB';
  const year = isUk ? ukTaxYear(taxYear) : String(taxYear);
  if (text.includes(year)) return text;
  return isUk ? `${year} ${text}` : `${text} ${year}`;
}

/**
 * The title of a task in the language of its firm, for what is stored about it: its place in lists, its inbox row and its
 * confirmations. Never empty.
 */
export async function titleForFirm(row: {
  company_id: string;
  type: TaskType;
  kind: string;
  label: string;
  tax_year: number | null;
  form_id: string | null;
}): Promise<string> {
  const forms = await formTitles([row.form_id]);
  return taskTitle(
    await languageOfFirm(row.company_id),
    { ...row, taxYear: row.tax_year },
    forms.get(row.form_id ?? ''),
  );
}
