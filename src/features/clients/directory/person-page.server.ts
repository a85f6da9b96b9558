import { seesContact } from '#features/base/people/people.server.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import { useForm, type Page as FormPage } from '#platform/forms/forms.server.ts';
import { nameForm } from './forms.server.ts';
import { endSessions, rename, resume } from './management.server.ts';
import { personOf, removalOf } from './person.server.ts';

interface Page extends FormPage {
  params: Record<string, string | undefined>;
  locals: Pick<App.Locals, 'lang' | 'pathTo' | 'session'>;
}

/** A person with the form of their name and what the buttons do; the proof of the removal if they were removed. */
export async function personPage(page: Page) {
  const { pathTo, session } = page.locals;
  const { actor } = session;
  const id = page.params['id'] ?? '';
  if (!(await seesContact(actor, id)))
    return { person: undefined, form: undefined, removal: await removalOf(actor, id) };
  const person = await personOf(actor, id);
  const { firstName, lastName, fullName: name } = person.contact;
  const done = (key: 'nameSaved' | 'sessionsEnded' | 'resumed') => ({
    to: pathTo(`staff/people/${id}`),
    flash: { type: 'success' as const, namespace: 'directory' as const, key, vars: { name } },
  });
  const response = await useActions(page, {
    'act=sign-out': async () => {
      await endSessions(actor, id);
      return done('sessionsEnded');
    },
    'act=resume': async () => {
      await resume(actor, id);
      return done('resumed');
    },
  });
  if (response) return response;
  if (!person.mayManage || person.hasForeignClients) return { person, form: undefined, removal: undefined };
  const form = await useForm(page, nameForm, {
    values: { firstName, lastName },
    submit: async (typed) => {
      await rename(actor, id, typed);
      return done('nameSaved');
    },
  });
  return form instanceof Response ? form : { person, form, removal: undefined };
}
