import type { z } from 'zod';
import type { Actor } from '#features/base/people/people.ts';
import type { Choice } from '#platform/forms/forms.ts';
import { languageChoices } from '#platform/forms/forms.server.ts';
import { ADDRESS_PARTS, addressLabels, type Address } from '#platform/inputs/address.ts';
import { stateId } from '#platform/inputs/countries.server.ts';
import { withMask } from '#platform/inputs/masks.ts';
import { taxIdChoices } from '#platform/inputs/schemas.server.ts';
import { LANGS, LANGUAGES, type Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import type { ClientInput, ClientRecord } from './client-records.ts';
import { duplicateDetails, type DuplicateDetails } from './duplicates.server.ts';
import { tagsIn, type clientForm } from './forms.server.ts';
import { responsibleChoices } from './list-choices.server.ts';

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

/** What a form of a client shows if it may be one that exists. */
export interface DuplicateNotice {
  links: { POSSIBLE_DUPLICATE?: string };
  details?: DuplicateDetails;
}

/** Saves a client, and notes the clients that it may be for the page that asks what to do. */
export async function notingDuplicates<Result>(
  notice: DuplicateNotice,
  pathTo: (page: string) => string,
  work: Promise<Result>,
): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    const details = duplicateDetails(error);
    if (details) notice.details = details;
    const id = details?.duplicates[0]?.id;
    if (id !== undefined) notice.links.POSSIBLE_DUPLICATE = pathTo(`staff/clients/${id}`);
    throw error;
  }
}

/** The button that saves a client although it may be one that exists. */
export const ANYWAY = 'anyway';

/** The choices of the form. */
export async function formChoices(actor: Actor, lang: Lang): Promise<Record<string, Choice[]>> {
  const t = translationsFor(lang, 'records');
  const months = new Intl.DateTimeFormat(LANGUAGES[lang], { month: 'long', timeZone: 'UTC' });
  return {
    'taxIds.kind': taxIdChoices(lang),
    responsible: (await responsibleChoices(actor, lang)).all,
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
