import { describe, expect, test } from 'vitest';
import { createClient } from '#features/clients/clients/editing.server.ts';
import { clientRecord } from '#features/clients/clients/client-records.server.ts';
import { mergeClients, previewMerge } from '#features/documents/merging/merging.server.ts';
import { addTaskMessage, listTaskMessages } from '#features/tasks/task-messages/messages.server.ts';
import { createTask } from '#features/tasks/tasks/creating.server.ts';
import { addComment } from '#features/documents/comments/comments.server.ts';
import { addDocument } from '#features/documents/documents/adding.server.ts';
import { documentById } from '#features/documents/documents/documents.server.ts';
import { setLocked } from '#features/documents/documents/rights.server.ts';
import { createProject, defaultFolder } from '#features/documents/folders/folders.server.ts';
import { survivorOf } from '#features/base/people/merged-clients.server.ts';
import { verifyRights } from '#features/base/people/rights-macs.server.ts';
import type { Actor, Session } from '#features/base/people/people.ts';
import { listReceipts } from '#features/base/receipts/receipts.server.ts';
import { verifyReceipts } from '#features/base/receipts/verification.server.ts';
import { activityOf } from '#features/office/staff/audit-log.server.ts';
import { openShare } from '#features/sharing/sharing/recipient.server.ts';
import { shareDocuments } from '#features/sharing/sharing/sending.server.ts';
import { restoreDocuments, trashDocument } from '#features/documents/trash/trash.server.ts';
import { verifyAudit } from '#platform/security/audit.server.ts';
import { HOUR, now } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import '../../../src/app.server.ts';
import {
  bytesAfter,
  client,
  fileOf,
  makeCast,
  pdf,
  person,
  startMailServer,
  uploadAs,
} from '../../support/cast.ts';

const { ada, ben, sam, firmOne, clientA, clientB, clientTwo, projectB } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
const mona = await person(firmOne, 'Mona Manager', 'mona@one.example', {
  role: 'manager',
  hasAllClients: false,
});
const mail = await startMailServer();
const session = (actor: Actor, authenticatedAt = now()): Session => ({
  id: 'session',
  actor,
  expiresAt: now() + HOUR,
  amr: ['pwd'],
  authenticatedAt,
  termsDue: false,
});
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'accepted',
    (error: unknown) => refusal(error)?.code,
  );

describe('a merge of two clients', () => {
  test('everything moves, links and running uploads go on, and receipts and the audit log stay valid', async () => {
    const letter = await uploadAs(ben, projectB, 'Letter.pdf', 'a letter');
    const gone = await uploadAs(ben, projectB, 'Gone.pdf', 'in the trash');
    const place = { containerType: 'Project', containerId: projectB.id } as const;
    await trashDocument(ben, place, gone.id);
    await addComment(ben, { documentId: letter.id, text: 'Which year is this?' });
    const { taskId } = await createTask(sam, { clientId: clientB, type: 'misc', label: 'Papers' });
    await addTaskMessage(ben, taskId, { text: 'For which year?' });
    const uploads = await defaultFolder(ada, clientA);
    await defaultFolder(ben, clientB);
    await mail.discard();
    await shareDocuments(
      ben,
      {
        expirationPeriod: 'AfterOneDay',
        overrides: { subject: 'Letter', body: 'Here it is.' },
        recipients: [{ emailAddress: 'bank@out.example' }],
        sharedItems: [{ ...place, documentId: letter.id }],
      },
      'en-us',
    );
    const [token = ''] = (await mail.deliver()).flatMap(
      ({ mail: sent }) => /share\/([\w-]{20,})/.exec(sent.text ?? '')?.[1] ?? [],
    );
    const { total } = await listReceipts(ben, clientB);

    const preview = await previewMerge(olga, clientB, clientA);
    expect(preview).toMatchObject({ documents: 2, folders: 2, contacts: 2, links: 1, problem: undefined });
    const uploaded = await addDocument(ben, {
      ...place,
      name: 'During.pdf',
      bytes: bytesAfter(
        () => mergeClients(session(olga), clientB, clientA),
        () => fileOf(pdf('during the merge')),
      ),
      onConflict: 'rename',
    });

    expect((await documentById(ada, letter.id)).name).toBe('Letter.pdf');
    expect((await documentById(ada, uploaded.id)).name).toBe('During.pdf');
    expect((await documentById(ben, letter.id)).commentsCount).toBe(1);
    expect((await listTaskMessages(ada, taskId, { from: 0 })).items.map(({ text }) => text)).toEqual([
      'For which year?',
    ]);
    expect(await codeOf(openShare(token, undefined, '192.0.2.7'))).toBe('accepted');
    expect(await restoreDocuments(ben, [gone.id])).toMatchObject([{ result: 'RESTORED' }]);
    expect((await defaultFolder(ben, clientA)).id).toBe(uploads.id);
    expect((await listReceipts(ada, clientA)).total).toBeGreaterThan(total);
    expect((await activityOf(ada, undefined)).entries.some(({ what }) => what === 'Letter.pdf')).toBe(true);

    expect((await verifyReceipts()).faults).toEqual([]);
    expect((await verifyAudit()).faults).toEqual([]);
    expect((await verifyRights()).faults).toEqual([]);
    expect(await codeOf(mergeClients(session(olga), clientB, clientA))).toBe('GONE');
    expect((await clientRecord(olga, clientB)).mergedInto).toBe(clientA);
  });

  test('no row names the merged client but its own, receipts and the audit log', async () => {
    const naming = [];
    const tables = await db().introspection.getTables();
    for (const { name, columns } of tables)
      if (columns.some((column) => column.name === 'client_id')) {
        const rows = await db()
          .selectFrom(name as 'documents')
          .select('client_id')
          .where('client_id', '=', clientB)
          .execute();
        if (rows.length > 0) naming.push(name);
      }
    expect(naming.toSorted()).toEqual(['audit', 'clients', 'containers', 'receipts']);
    const containers = await db()
      .selectFrom('containers')
      .select('container_id')
      .where('client_id', '=', clientB)
      .execute();
    expect(containers).toEqual([{ container_id: clientB }]);
  });

  test('tags, tax ids and the address are united; a different tax id of the same kind is dropped', async () => {
    const address = {
      country: 'US',
      address1: '12 Main St',
      address2: '',
      city: '',
      state: '',
      zip: '',
      county: '',
    };
    const from = await createClient(olga, {
      name: 'Twin',
      tags: ['VAT', 'old'],
      address,
      taxIds: [
        { kind: 'ein', number: '36-4471042' },
        { kind: 'cpf', number: '529.982.247-25' },
      ],
      responsible: [sam.contactId],
    });
    const into = await createClient(olga, {
      name: 'Twin',
      code: 'T-1',
      tags: ['vat'],
      taxIds: [{ kind: 'ein', number: '36-4471043' }],
    });
    expect((await previewMerge(olga, from, into)).differentTaxIds).toEqual(['ein']);
    await mergeClients(session(olga), from, into);
    expect(await clientRecord(olga, into)).toMatchObject({
      tags: ['old', 'vat'],
      taxIds: [
        { kind: 'ein', number: '364471043' },
        { kind: 'cpf', number: '52998224725' },
      ],
      address: { address1: '12 Main St' },
      responsible: [sam.contactId],
    });
  });

  test('a merge is refused without the right, recent authentication, or the clients, and changes nothing', async () => {
    const from = await client(firmOne, 'Refused', 'R-1', [ada]);
    const old = session(olga, now() - HOUR);
    expect(await codeOf(mergeClients(old, from, clientA))).toBe('STEP_UP');
    expect(await codeOf(mergeClients(session(sam), from, clientA))).toBe('FORBIDDEN');
    expect(await codeOf(mergeClients(session(ada), from, clientA))).toBe('FORBIDDEN');
    expect(await codeOf(mergeClients(session(mona), from, clientA))).toBe('NOT_FOUND');
    expect(await codeOf(mergeClients(session(olga), from, clientTwo))).toBe('NOT_FOUND');
    expect(await codeOf(mergeClients(session(olga), from, from))).toBe('INVALID');
    const project = await createProject(sam, { clientId: from, name: 'Books' });
    await setLocked(olga, project.id, true);
    expect((await previewMerge(olga, from, clientA)).problem).toBeUndefined();
    await db()
      .insertInto('item_locks')
      .values({
        item_id: from,
        kind: 'Read',
        level: 'Master',
        client_id: from,
        locked_by: olga.contactId,
        locked_at: now(),
      })
      .execute();
    expect(await codeOf(mergeClients(session(olga), from, clientA))).toBe('LOCKED');
    expect((await clientRecord(olga, from)).mergedInto).toBeNull();
  });
});

test('links that name a merged client lead to the other one, for those who act for it', async () => {
  const [former, other] = [
    await client(firmOne, 'Former', 'F-1', [ben]),
    await client(firmOne, 'Other', 'O-1', []),
  ];
  await mergeClients(session(olga), former, other);
  expect(await survivorOf(olga, former)).toEqual({ id: other, formerName: 'Former' });
  expect(await survivorOf(ben, former), 'a contact of the merged client').toEqual({
    id: other,
    formerName: 'Former',
  });
  expect(await survivorOf(mona, former), 'staff with other clients').toBeUndefined();
  expect(await survivorOf(olga, other), 'not merged').toBeUndefined();
});
