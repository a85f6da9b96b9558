import type { Actor } from '#features/base/people/people.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { saveTemplate } from './templates.server.ts';

/** Adds the starter templates in a language; those whose name is taken are left out. */
export async function addStarters(actor: Actor, lang: Lang): Promise<void> {
  const t = translationsFor(lang, 'templates');
  const starters = [
    { name: t('starterBusinessName'), clientKind: 'business', folders: t('starterBusiness') },
    { name: t('starterIndividualName'), clientKind: 'individual', folders: t('starterIndividual') },
  ] as const;
  for (const starter of starters)
    await saveTemplate(actor, starter).catch((error: unknown) => {
      if (refusal(error)?.code !== 'NAME_CONFLICT') throw error; // it is there already
    });
}
