import { STAFF_ROLES } from '#features/base/people/people.ts';
import { actorOf } from '#features/base/people/people.server.ts';
import { notFound } from '#platform/runtime/errors.server.ts';
import { flashCookie } from '#platform/http/flash.server.ts';
import { formOf } from '#platform/forms/form.server.ts';
import { useForm } from '#platform/forms/forms.server.ts';
import type { FormView } from '#platform/forms/forms.ts';
import { redirectTo } from '#platform/http/redirect.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import {
  emailForm,
  removeAloneForm,
  removeForm,
  roleForm,
  suspendForm,
  suspendManyForm,
} from './forms.server.ts';
import { requestEmailChange } from './email-change.server.ts';
import { managedPerson, removePerson, setRole, suspend, suspendMany } from './management.server.ts';
import { chosenIn } from './people-page.server.ts';
import { successorsOf, suspendable } from './person.server.ts';
import { ROLE_NAMES } from './roles.ts';
import { stepUpFirst, stepUpOn, type PersonPage } from './step-up-page.server.ts';

/*
 * The pages of changes that would do harm in the wrong hands: each asks for recent authentication, names the
 * person, and returns to their page.
 */

/** Starts such a page: the person, or the redirect to step-up authentication. */
async function started(page: PersonPage) {
  const person = await managedPerson(page.locals.session.actor, page.params['id'] ?? '');
  const redirect = stepUpFirst(page);
  const { fullName: name, contactId: id } = person;
  const done = (key: 'suspended' | 'removed' | 'roleSaved') => ({
    to: page.locals.pathTo(`staff/people/${id}`),
    flash: { type: 'success' as const, namespace: 'directory' as const, key, vars: { name } },
  });
  return redirect ?? { person, id, vars: { name }, done, redirectRefusal: stepUpOn(page) };
}

const shown = (form: FormView | Response, { name }: { name: string }) =>
  form instanceof Response ? form : { form, name };

/** Suspends a person. */
export async function suspendPage(page: PersonPage) {
  const start = await started(page);
  if (start instanceof Response) return start;
  const { id, vars, done, redirectRefusal } = start;
  const form = await useForm(page, suspendForm, {
    vars,
    redirectRefusal,
    submit: async () => {
      await suspend(page.locals.session, id);
      return done('suspended');
    },
  });
  return shown(form, vars);
}

/** Suspends the selected people that the actor may suspend; without any it leads back to the list. */
export async function suspendManyPage(page: PersonPage) {
  const { pathTo, session } = page.locals;
  const redirect = stepUpFirst(page);
  if (redirect) return redirect;
  const chosen = page.request.method === 'POST' ? await formOf(page.request) : formIn(page.url);
  const people = await suspendable(session.actor, (await chosenIn(session.actor, chosen)).contacts);
  if (people.length === 0)
    return redirectTo(pathTo('staff/people'), [
      flashCookie({ type: 'info', namespace: 'directory', key: 'choosePerson' }),
    ]);
  const form = await useForm(page, suspendManyForm, {
    vars: { count: people.length },
    redirectRefusal: stepUpOn(page),
    submit: async () => {
      await suspendMany(
        session,
        people.map(({ contactId }) => contactId),
      );
      const vars = { count: people.length };
      return {
        to: pathTo('staff/people'),
        flash: { type: 'success', namespace: 'directory', key: 'suspendedMany', vars },
      };
    },
  });
  return form instanceof Response ? form : { form, people };
}

/** The selection in an address, as a form. */
function formIn({ searchParams }: URL): FormData {
  const form = new FormData();
  for (const [name, value] of searchParams) form.append(name, value);
  return form;
}

/** Removes a person; the page asks who takes over their clients if there are any. */
export async function removePage(page: PersonPage) {
  const start = await started(page);
  if (start instanceof Response) return start;
  const { id, person, vars, done, redirectRefusal } = start;
  const { session } = page.locals;
  const successors = await successorsOf(session.actor, person);
  const remove = async (successorId?: string) => {
    await removePerson(session, id, successorId);
    return done('removed');
  };
  if (successors.length === 0)
    return shown(
      await useForm(page, removeAloneForm, { vars, redirectRefusal, submit: () => remove() }),
      vars,
    );
  const form = await useForm(page, removeForm, {
    vars,
    redirectRefusal,
    choices: {
      successorId: [
        { value: '', text: '–' },
        ...successors.map(({ contactId, fullName }) => ({ value: contactId, text: fullName })),
      ],
    },
    submit: ({ successorId }) => remove(successorId),
  });
  return shown(form, vars);
}

/** Changes the role of staff. */
export async function rolePage(page: PersonPage) {
  const start = await started(page);
  if (start instanceof Response) return start;
  const { id, person, vars, done, redirectRefusal } = start;
  if (!person.staff) throw notFound();
  const t = translationsFor(page.locals.lang, 'directory');
  const form = await useForm(page, roleForm, {
    values: { role: person.role, scope: person.hasAllClients ? 'all' : 'assigned' },
    choices: { role: STAFF_ROLES.map((value) => ({ value, text: t(ROLE_NAMES[value]) })) },
    vars,
    redirectRefusal,
    submit: async ({ role, scope }) => {
      await setRole(page.locals.session, id, { role, hasAllClients: scope === 'all' });
      return done('roleSaved');
    },
  });
  return shown(form, vars);
}

/** Requests a new email address for a person, or for oneself on the page of the profile. */
export async function emailPage(page: PersonPage) {
  const { pathTo, session } = page.locals;
  const id = page.params['id'];
  const person =
    id === undefined ? await actorOf(session.actor.contactId) : await managedPerson(session.actor, id);
  const redirect = stepUpFirst(page);
  if (redirect) return redirect;
  const form = await useForm(page, emailForm, {
    redirectRefusal: stepUpOn(page),
    submit: async ({ emailAddress: email }) => {
      await requestEmailChange(session, person.contactId, email);
      return {
        to: pathTo(id === undefined ? 'profile/security' : `staff/people/${id}`),
        flash: { type: 'success', namespace: 'directory', key: 'emailSent', vars: { email } },
      };
    },
  });
  return shown(form, { name: person.fullName });
}
