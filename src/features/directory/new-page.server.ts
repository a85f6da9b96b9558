import { STAFF_ROLES } from '#features/people/people.ts';
import { languageChoices, useForm, type Page as FormPage } from '#platform/forms.server.ts';
import { LANGS } from '#platform/languages.ts';
import { translationsFor } from '#platform/translations.server.ts';
import { addPerson } from './adding.server.ts';
import { newPersonForm } from './forms.server.ts';
import { ROLE_NAMES } from './roles.ts';

interface Page extends FormPage {
  locals: Pick<App.Locals, 'lang' | 'pathTo' | 'session'>;
}

/** The form that adds a person; roles of staff are offered to those who may invite staff. */
export function newPersonPage(page: Page) {
  const { lang, pathTo, session } = page.locals;
  const t = translationsFor(lang, 'directory');
  const { permissions } = session.actor.access;
  const roles = permissions.has('ManageFirm')
    ? STAFF_ROLES.map((value) => ({ value, text: t(ROLE_NAMES[value]) }))
    : [];
  return useForm(page, newPersonForm, {
    values: { language: lang, role: 'contact', scope: 'all', send: true },
    choices: {
      language: languageChoices(LANGS, (one) => one),
      role: [{ value: 'contact', text: t('roleContact') }, ...roles],
    },
    submit: async (person) => {
      const { invitationId, emailAddress: email } = await addPerson(session.actor, person);
      const name = `${person.firstName} ${person.lastName}`;
      return {
        to: pathTo(person.send ? 'staff/people' : `staff/people/${invitationId}/clients`),
        flash: {
          type: 'success',
          namespace: 'directory',
          ...(person.send ? { key: 'sent', vars: { email } } : { key: 'prepared', vars: { name } }),
        },
      };
    },
  });
}
