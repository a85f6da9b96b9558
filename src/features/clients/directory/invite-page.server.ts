import { invitePending, isWithoutAccess } from '#features/identity/invitations/batches.server.ts';
import { MAX_IN_BATCH } from '#features/identity/invitations/invitations.ts';
import { listPending } from '#features/identity/invitations/invitations.server.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import { languageChoices, useForm, type Page as FormPage } from '#platform/forms/forms.server.ts';
import { LANGS } from '#platform/text/languages.ts';
import { inviteListed } from './adding.server.ts';
import { inviteManyForm } from './forms.server.ts';

interface Page extends FormPage {
  locals: Pick<App.Locals, 'lang' | 'pathTo' | 'session'>;
}

/** The form that invites a list of people, and the button that invites all contacts without access. */
export async function inviteManyPage(page: Page) {
  const { lang, pathTo, session } = page.locals;
  const { actor } = session;
  const progressOf = async (batchId: Promise<string>) => ({
    to: pathTo(`staff/people/invite/${await batchId}`),
  });
  const response = await useActions(page, { 'act=pending': () => progressOf(invitePending(actor)) });
  if (response) return response;
  const form = await useForm(page, inviteManyForm, {
    values: { language: lang },
    choices: { language: languageChoices(LANGS, (one) => one) },
    vars: { most: MAX_IN_BATCH },
    submit: ({ people, language }) => progressOf(inviteListed(actor, people, language)),
  });
  if (form instanceof Response) return form;
  return { form, pending: (await listPending(actor)).filter(isWithoutAccess).length };
}
