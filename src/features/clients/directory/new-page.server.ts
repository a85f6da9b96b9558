import { clientRecord } from '#features/clients/clients/client-records.server.ts';
import { STAFF_ROLES } from '#features/base/people/people.ts';
import { languageChoices, useForm, type Page as FormPage } from '#platform/forms/forms.server.ts';
import { LANGS } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { addPerson } from './adding.server.ts';
import { newPersonForm } from './forms.server.ts';
import { ROLE_NAMES } from './roles.ts';

interface Page extends FormPage {
  url: URL;
  locals: Pick<App.Locals, 'lang' | 'pathTo' | 'session'>;
}

/**
 * The form that adds a person; roles of staff are offered to those who may invite staff. From the page of a client,
 * whose id is `for`, the person gets access to it, and the form leads back there.
 */
export async function newPersonPage(page: Page) {
  const { lang, pathTo, session } = page.locals;
  const t = translationsFor(lang, 'directory');
  const { permissions } = session.actor.access;
  const roles = permissions.has('ManageFirm')
    ? STAFF_ROLES.map((value) => ({ value, text: t(ROLE_NAMES[value]) }))
    : [];
  const clientId = page.url.searchParams.get('for');
  const client = clientId === null ? undefined : await clientRecord(session.actor, clientId);
  const form = await useForm(page, newPersonForm, {
    values: { language: lang, role: 'contact', scope: 'all', send: true },
    choices: {
      language: languageChoices(LANGS, (one) => one),
      role: [{ value: 'contact', text: t('roleContact') }, ...roles],
    },
    submit: async (person) => {
      const { invitationId, emailAddress: email } = await addPerson(session.actor, {
        ...person,
        ...(client && { clientIds: [client.id] }),
      });
      const name = `${person.firstName} ${person.lastName}`;
      return {
        to: pathTo(placeAfter(person.send ? undefined : invitationId, client?.id)),
        flash: {
          type: 'success',
          namespace: 'directory',
          ...(person.send ? { key: 'sent', vars: { email } } : { key: 'prepared', vars: { name } }),
        },
      };
    },
  });
  return form instanceof Response ? form : { form, client };
}

/** A prepared invitation leads to its clients, unless one was chosen. */
function placeAfter(preparedId: string | undefined, clientId: string | undefined): string {
  if (clientId !== undefined) return `staff/clients/${clientId}`;
  return preparedId === undefined ? 'staff/people' : `staff/people/${preparedId}/clients`;
}
