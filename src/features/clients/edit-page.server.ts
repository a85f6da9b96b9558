import type { z } from 'zod';
import type { Actor } from '#features/people/people.ts';
import type { Choice } from '#platform/forms.ts';
import { languageChoices } from '#platform/forms.server.ts';
import { ADDRESS_PARTS, addressLabels, type Address } from '#platform/inputs/address.ts';
import { stateId } from '#platform/inputs/countries.server.ts';
import { withMask } from '#platform/inputs/masks.ts';
import { taxIdChoices } from '#platform/inputs/schemas.server.ts';
import { LANGS, LANGUAGES, type Lang } from '#platform/languages.ts';
import { translationsFor } from '#platform/translations.server.ts';
import type { ClientInput, ClientRecord } from './client-records.ts';
import { tagsIn, type clientForm } from './forms.server.ts';
import { staffChoices } from './list-choices.server.ts';

type FormValues = z.output<typeof clientForm.schema>;

/** The input of the verbs from what the form has in separate fields; `before` is the stored address. */
export function inputOf(
  {
    version: _,
    tags,
    yearEndMonth: month,
    yearEndDay: day,
    address: { country, ...parts },
    ...form
  }: FormValues,
  before: Address | null = null,
): ClientInput {
  return {
    ...form,
    tags: tagsIn(tags),
    yearEnd: month === '' && day === '' ? '' : `${month}-${day.padStart(2, '0')}`,
    address: country === '' ? null : { country, ...parts, ...notShown({ country, ...parts }, before) },
  };
}

/** The parts of a stored address that the form cannot show, such as a state that is not in the list of its country. */
function notShown(posted: Address, before: Address | null): Partial<Address> {
  if (before?.country !== posted.country) return {};
  const labels = addressLabels(posted.country);
  const isUnknownState = stateId(before.country, before.state) === undefined && posted.state === '';
  return Object.fromEntries(
    ADDRESS_PARTS.filter((part) => labels[part] === undefined || (part === 'state' && isUnknownState)).map(
      (part) => [part, before[part]],
    ),
  );
}

/** The values of the form for a client. */
export function formValuesOf({ id: _, address, tags, taxIds, yearEnd, ...record }: ClientRecord) {
  const [yearEndMonth = '', yearEndDay = ''] = yearEnd.split('-');
  return {
    ...record,
    ...(address && {
      address: { ...address, state: stateId(address.country, address.state) ?? address.state },
    }),
    version: String(record.version),
    tags: tags.join(', '),
    taxIds: taxIds.map(({ kind, number }) => ({ kind, number: withMask(kind, number) })),
    yearEndMonth,
    yearEndDay,
  };
}

/** The choices of the form. */
export async function formChoices(actor: Actor, lang: Lang): Promise<Record<string, Choice[]>> {
  const t = translationsFor(lang, 'records');
  const months = new Intl.DateTimeFormat(LANGUAGES[lang], { month: 'long', timeZone: 'UTC' });
  return {
    'taxIds.kind': taxIdChoices(lang),
    responsible: await staffChoices(actor),
    language: [{ value: '', text: t('languageOfFirm') }, ...languageChoices(LANGS, (one) => one)],
    yearEndMonth: [
      { value: '', text: t('calendarYear') },
      ...Array.from({ length: 12 }, (_, month) => ({
        value: String(month + 1).padStart(2, '0'),
        text: months.format(Date.UTC(2024, month, 1)),
      })),
    ],
  };
}
