import { revokeInvitation, sendAgain } from '#features/invitations/invitations.server.ts';
import type { Invitation } from '#features/invitations/invitations.ts';
import { useActions } from '#platform/actions.server.ts';
import type { Page as FormPage } from '#platform/forms.server.ts';
import { useList } from '#platform/lists.server.ts';
import { translationsFor } from '#platform/translations.server.ts';
import { PERSON_STATES, type ListedPerson } from './directory.ts';
import { peopleList } from './lists.server.ts';
import { listPeople } from './people-list.server.ts';
import { ROLE_NAMES, STATE_NAMES } from './roles.ts';

interface Page extends FormPage {
  url: URL;
  locals: Pick<App.Locals, 'lang' | 'pathTo' | 'session'>;
}

/** The list of people with its filters, what each row can do, and the answer to the buttons of invitations. */
export async function peoplePage(page: Page) {
  const { lang, pathTo, session } = page.locals;
  const { actor } = session;
  const t = translationsFor(lang, 'directory');
  const back = page.url.pathname + page.url.search;
  const done = (key: 'sent' | 'revoked', { emailAddress: email }: Invitation) => ({
    to: back,
    flash: { type: 'success' as const, namespace: 'directory' as const, key, vars: { email } },
  });
  const response = await useActions(page, {
    again: async (id) => done('sent', await sendAgain(actor, id)),
    revoke: async (id) => done('revoked', await revokeInvitation(actor, id)),
  });
  if (response) return response;
  const { query, pager, filter } = useList(page, peopleList);
  const { people, total, pageSize, isEmpty } = await listPeople(actor, query);
  const choices = {
    who: [
      { value: '', text: t('everybody') },
      { value: 'contacts', text: t('contacts') },
      { value: 'staff', text: t('staff') },
    ],
    state: [
      { value: '', text: t('allStates') },
      ...PERSON_STATES.map((value) => ({ value, text: t(STATE_NAMES[value]) })),
    ],
  };
  const { permissions } = actor.access;
  return {
    people,
    isEmpty,
    filter: filter({ count: total }, choices),
    pager: pager(total, pageSize),
    mayInvite: permissions.has('ManageContacts'),
    roleOf: ({ role }: ListedPerson) => t(role === undefined ? 'roleContact' : ROLE_NAMES[role]),
    stateOf: ({ state, isUndelivered }: ListedPerson) =>
      t(isUndelivered ? 'stateUndelivered' : STATE_NAMES[state]),
    clientsOf: ({ clients }: ListedPerson) => shortened(clients, (number) => t('moreClients', { number })),
    actionsOf: (row: ListedPerson) => {
      if (row.isInvitation)
        return [
          { label: t(row.state === 'prepared' ? 'send' : 'resend'), name: 'again', value: row.id },
          { label: t('revoke'), name: 'revoke', value: row.id, isDangerous: true },
        ];
      const canBeViewed = row.role === undefined && row.state !== 'suspended' && permissions.has('ViewAs');
      return canBeViewed ? [{ label: t('viewAs'), href: pathTo(`staff/view-as/${row.id}`) }] : [];
    },
  };
}

const SHOWN = 1;

const shortened = (names: readonly string[], moreText: (number: number) => string): string =>
  [names.slice(0, SHOWN).join(', '), ...(names.length > SHOWN ? [moreText(names.length - SHOWN)] : [])].join(
    ' ',
  );
