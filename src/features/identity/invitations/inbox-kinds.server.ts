import type { Contributions } from '#platform/runtime/feature.server.ts';
import { when } from '#platform/runtime/events.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { invitationExpired, invitationSettled } from './events.server.ts';

export const inboxKinds: Contributions['inbox'] = {
  invitation: {
    icon: 'user-x',
    step: 'invite',
    text: ({ name, detail: responsible }, lang) =>
      responsible === ''
        ? translationsFor(lang, 'inbox')('invitation', { name })
        : translationsFor(lang, 'inbox')('invitationResponsible', { name, count: Number(responsible) }),
    next: (_, pathTo) => pathTo('staff/people', { state: 'expired' }),
    sources: [
      when(
        invitationExpired,
        ({ invitationId, companyId, email: name, invitedBy: contactId, responsible }) => ({
          add: {
            companyId,
            clientId: null,
            key: invitationId,
            target: invitationId,
            name,
            contactId,
            ...(responsible > 0 && { detail: String(responsible) }),
            once: true,
          },
        }),
      ),
      when(invitationSettled, ({ invitationId }) => ({ resolve: [invitationId] })),
    ],
  },
};
