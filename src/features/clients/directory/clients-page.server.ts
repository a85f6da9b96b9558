import { findClients } from '#features/clients/clients/client-search.server.ts';
import { revokeInvitation, sendAgain } from '#features/identity/invitations/invitations.server.ts';
import type { Invitation } from '#features/identity/invitations/invitations.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import type { Page as FormPage } from '#platform/forms/forms.server.ts';
import { useList } from '#platform/forms/lists.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { clientSearch } from './lists.server.ts';
import { assignClientTo } from './management.server.ts';
import { changeClient, withClients, type PersonClient } from './person.server.ts';

interface Page extends FormPage {
  url: URL;
  params: Record<string, string | undefined>;
  locals: Pick<App.Locals, 'lang' | 'pathTo' | 'session'>;
}

const MAX_FOUND = 25;

/** The clients of a person or an invitation, those that were searched for, and what the buttons do. */
export async function clientsPage(page: Page) {
  const { lang, session } = page.locals;
  const { actor } = session;
  const t = translationsFor(lang, 'directory');
  const id = page.params['id'] ?? '';
  const person = await withClients(actor, id);
  const then = async (change: Promise<void>) => {
    await change;
    return {
      to: page.url.pathname + page.url.search,
      flash: {
        type: 'success' as const,
        namespace: 'directory' as const,
        key: 'clientsSaved' as const,
        vars: { name: person.fullName },
      },
    };
  };
  const settled = async (key: 'sent' | 'revoked', work: Promise<Invitation>) => {
    const { emailAddress: email, responsibleIds = [] } = await work;
    const hasLost = key === 'revoked' && responsibleIds.length > 0;
    return {
      to: page.locals.pathTo('staff/people'),
      flash: {
        type: 'success' as const,
        namespace: 'directory' as const,
        key: hasLost ? ('revokedResponsible' as const) : key,
        vars: { email, count: responsibleIds.length },
      },
    };
  };
  const response = await useActions(page, {
    'act=send': () => settled('sent', sendAgain(actor, id)),
    'act=revoke': () => settled('revoked', revokeInvitation(actor, id)),
    link: (clientId) => then(changeClient(actor, id, { add: clientId })),
    unlink: (clientId) => then(changeClient(actor, id, { remove: clientId })),
    responsible: (clientId) => then(assignClientTo(actor, id, { clientId, isResponsible: true })),
    relieve: (clientId) => then(assignClientTo(actor, id, { clientId, isResponsible: false })),
  });
  if (response) return response;
  const { query, filter } = useList(page, clientSearch);
  const present = new Set(person.clients.map(({ clientId }) => clientId));
  const isStaff = person.isStaff && person.invitation === undefined;
  return {
    person,
    filter: filter(undefined),
    found:
      query.searchTerm.trim() === ''
        ? undefined
        : (await findClients(actor, query.searchTerm, MAX_FOUND))
            .filter((client) => !present.has(client.id))
            .map(({ id: clientId, name, code }) => ({ clientId, name, code, isResponsible: false })),
    backTo: person.invitation !== undefined ? 'staff/people' : `staff/people/${id}`,
    actionsOf: ({ clientId, isResponsible }: PersonClient) => [
      ...(isStaff
        ? [
            isResponsible
              ? { label: t('endResponsible'), name: 'relieve', value: clientId }
              : { label: t('makeResponsible'), name: 'responsible', value: clientId },
          ]
        : []),
      { label: t('unlink'), name: 'unlink', value: clientId, isDangerous: true },
    ],
    addOf: ({ clientId }: PersonClient) => [{ label: t('link'), name: 'link', value: clientId }],
  };
}
