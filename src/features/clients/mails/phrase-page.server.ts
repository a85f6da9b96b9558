import { stepUpFirst, stepUpOn, type PersonPage } from '#features/clients/directory/step-up-page.server.ts';
import { useForm } from '#platform/forms/forms.server.ts';
import type { FormView } from '#platform/forms/forms.ts';
import { loadPhrase } from '#platform/mail/mail-phrases.server.ts';
import { redirectTo } from '#platform/http/redirect.server.ts';
import { phraseForm } from './forms.server.ts';
import { changePhrase, suggestPhrase } from './phrases.server.ts';

/**
 * The page on which people choose the phrase in their emails. Without one it suggests two words. Nobody else sees it, not even
 * while viewing as them.
 */
export async function phrasePage(page: PersonPage): Promise<FormView | Response> {
  const { lang, pathTo, session } = page.locals;
  if (session.viewing) return redirectTo(pathTo('not-authorized'));
  const redirect = stepUpFirst(page);
  if (redirect) return redirect;
  const isSuggested = page.url.searchParams.has('suggest');
  const phrase = isSuggested ? undefined : await loadPhrase(session.actor.contactId);
  return useForm(page, phraseForm, {
    values: { phrase: phrase ?? suggestPhrase(lang) },
    redirectRefusal: stepUpOn(page),
    submit: async (input) => {
      await changePhrase(session, input.phrase);
      return {
        to: pathTo('profile/phrase'),
        flash: {
          type: 'success',
          namespace: 'mails',
          key: input.phrase === '' ? 'phraseRemoved' : 'phraseSaved',
        },
      };
    },
  });
}
