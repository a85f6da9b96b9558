import type { Contributions } from '#platform/runtime/feature.server.ts';
import { when } from '#platform/runtime/events.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { db } from '#platform/database/database.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import { mailChanged } from '#platform/mail/mail-log.server.ts';
import { mailResent } from './events.server.ts';

export const inboxKinds: Contributions['inbox'] = {
  mail: {
    icon: 'mail',
    step: 'fix',
    text: text('inbox', 'mail'),
    next: ({ key }, pathTo) => pathTo(`staff/mails/${key}`),
    sources: [
      when(mailChanged, async ({ mailId, companyId, clientId, state }) => {
        if (state !== 'bounced') return { resolve: [mailId] };
        if (companyId === null) return undefined;
        return { add: { companyId, clientId, key: mailId, target: mailId, name: await recipientOf(mailId) } };
      }),
      when(mailResent, ({ mailId }) => ({ resolve: [mailId] })),
    ],
  },
};

async function recipientOf(mailId: string): Promise<string> {
  const { recipient } = await db()
    .selectFrom('mails')
    .select('recipient')
    .where('mail_id', '=', mailId)
    .executeTakeFirstOrThrow();
  return decryptFrom('mails.recipient', mailId, recipient);
}
