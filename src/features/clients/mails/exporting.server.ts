import type { Actor } from '#features/base/people/people.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { eachRow, rowPages } from '#platform/database/row-pages.server.ts';
import { exportedTable } from '#platform/tabular/exported-table.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { mailsOf } from './scope.server.ts';
import { kindText, stateText } from './texts.server.ts';

/** Who was sent which emails, without their texts. Those about no client are in an export of the whole firm. */
export const exportedMails: Contributions['exports'] = [
  {
    of: 'client',
    name: 'mails.csv',
    text: text('mails', 'exportFile'),
    content: ({ actor, lang }, { ids }) => table(lang, actor, ids),
  },
  {
    of: 'export',
    name: 'other-mails.csv',
    text: text('mails', 'exportOthers'),
    isInternal: true,
    content: ({ actor, lang }) => table(lang, actor, null),
  },
];

const table = (lang: Lang, actor: Actor, clientIds: readonly string[] | null) =>
  exportedTable(
    lang,
    [
      'queuedAt',
      'kind',
      'subject',
      'recipient',
      'name',
      'state',
      'acceptedAt',
      'bouncedAt',
      'openedAt',
      'id',
    ],
    eachRow(sent(actor, clientIds), (row) => ({
      id: row.mail_id,
      queuedAt: { at: row.queued_at },
      kind: kindText(lang, row.kind),
      subject: decryptFrom('mails.subject', row.mail_id, row.subject),
      recipient: decryptFrom('mails.recipient', row.mail_id, row.recipient),
      name: row.full_name,
      state: stateText(lang, row.state),
      acceptedAt: { at: row.accepted_at },
      bouncedAt: { at: row.bounced_at },
      openedAt: { at: row.opened_at },
    })),
  );

const sent = (actor: Actor, clientIds: readonly string[] | null) =>
  rowPages(['mails.queued_at', 'mails.mail_id'], (page) =>
    mailsOf(actor)
      .leftJoin('contacts', 'contacts.contact_id', 'mails.contact_id')
      .selectAll('mails')
      .select('contacts.full_name')
      .where((e) =>
        clientIds === null ? e('mails.client_id', 'is', null) : e('mails.client_id', 'in', clientIds),
      )
      .$call(page)
      .execute(),
  );
