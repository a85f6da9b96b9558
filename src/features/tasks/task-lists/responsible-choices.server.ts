import { listStaff } from '#features/base/people/staff.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import type { Choice } from '#platform/forms/forms.ts';
import type { Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { NOBODY } from './tasks-grid.server.ts';

/** By whom the firm's tasks are filtered: its staff, also the suspended, who may have left tasks, and nobody. */
export async function responsibleChoices(actor: Actor, lang: Lang): Promise<Choice[]> {
  const t = translationsFor(lang, 'tasks');
  const staff = await listStaff(actor.companyId);
  return [
    { value: '', text: t('all') },
    { value: NOBODY, text: t('nobodyResponsible') },
    ...staff.map(({ contact_id: value, full_name: text }) => ({ value, text })),
  ];
}
