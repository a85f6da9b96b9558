import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { P12Signer, PDF } from '@libpdf/core';
import { sql } from 'kysely';
import sharp from 'sharp';
import type { Actor } from '#features/base/people/people.ts';
import type { IdentityCheck, NewSigner } from '#features/signing/signing/signing.ts';

/*
 * The actions of a portal, as a process that support.ts starts: `node acts.ts <name> <arguments as JSON>`. It
 * uses the functions that serve requests, and its last line on standard output is the result.
 */

// The address must be known before the configuration is read.
const server = http.createServer();
await once(server.listen(0, '127.0.0.1'), 'listening');
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
process.env['PUBLIC_ORIGIN'] = origin;

const { startMailbox, stopMailbox } = await import('../../src/features/demo/demo/mailbox.server.ts');
const { addEmployee, changeEmployee } = await import('#features/brazil/employees/changes.server.ts');
const { noteAttempt } = await import('#features/brazil/clearance-certificates/attempts.server.ts');
const { todayOf } = await import('#features/brazil/payroll-entries/access.server.ts');
const { replyToSheet, returnSheet, submitSheet } =
  await import('#features/brazil/payroll-entries/acting.server.ts');
const { monthOf, previousMonth } = await import('#features/brazil/payroll-entries/months.ts');
const { applyPaste } = await import('#features/brazil/payroll-entries/pasting.server.ts');
const { listInput } = await import('#features/brazil/payroll-entries/payroll-entries.ts');
const { addList, publishList } = await import('#features/brazil/payroll-entries/publishing.server.ts');
const { saveCells } = await import('#features/brazil/payroll-entries/saving.server.ts');
const { listSheets, openSheet } = await import('#features/brazil/payroll-entries/sheets.server.ts');
const { followAgency } = await import('#features/brazil/clearance-certificates/following.server.ts');
const { performAction: performRequestAction } =
  await import('#features/brazil/service-requests/acting.server.ts');
const { beginRequest } = await import('#features/brazil/service-requests/beginning.server.ts');
const { saveChanges } = await import('#features/brazil/service-requests/saving.server.ts');
const { makePassport } = await import('#features/brazil/clearance-passport/passports.server.ts');
const { setFlag } = await import('#features/base/access/access.server.ts');
const { addDate } = await import('#features/content/tax-calendar/firm-rules.server.ts');
const { moveDate } = await import('#features/content/tax-calendar/keeping.server.ts');
const { saveProfile } = await import('#features/content/tax-calendar/profiles.server.ts');
const { updateClient } = await import('#features/clients/clients/editing.server.ts');
const { answerChanges } = await import('#features/tasks/answer-editor/answer-editor.ts');
const { addClientMessage } = await import('#features/clients/client-messages/messages.server.ts');
const { addTaskMessage } = await import('#features/tasks/task-messages/messages.server.ts');
const { addComment } = await import('#features/documents/comments/comments.server.ts');
const { prepareCreation } = await import('#features/tasks/task-batches/batches.server.ts');
const { performAction } = await import('#features/tasks/tasks/acting.server.ts');
const { createTask } = await import('#features/tasks/tasks/creating.server.ts');
const { decideItem } = await import('#features/tasks/task-review/reviewing.server.ts');
const { insertLink, writeProposal } = await import('#features/tasks/task-links/internal/store.server.ts');
const { keepAnswer } = await import('#features/tasks/tasks/kept-answers.server.ts');
const { rejectPayment, confirmPayment } = await import('#features/payments/payments/confirming.server.ts');
const { reportPayment, startCheckout } = await import('#features/payments/payments/paying.server.ts');
const { offerSandbox } = await import('#features/payments/payments/providers/available.server.ts');
const { requestPayment } = await import('#features/payments/payments/requesting.server.ts');
const { savePaymentSettings } = await import('#features/payments/payments/settings.server.ts');
const { agree, decline, sign, startIdentityCheck } =
  await import('#features/signing/signing/acting.server.ts');
const { changeConsentText, defaultConsent } = await import('#features/signing/signing/consent.server.ts');
const { draftRequest, placeFields } = await import('#features/signing/signing/drafting.server.ts');
const { signersOf, signingOfTask } = await import('#features/signing/signing/internal/rows.server.ts');
const { openLink } = await import('#features/signing/signing/links.server.ts');
const { fieldsAtEnd } = await import('#features/signing/signing/rules.ts');
const { sealSigned } = await import('#features/signing/signing/sealing.server.ts');
const { addLink, sendRequest } = await import('#features/signing/signing/sending.server.ts');
const { subscribe } = await import('#features/office/push/subscriptions.server.ts');
const { vapidKeys } = await import('#features/office/push/keys.server.ts');
const { newVapidKeys } = await import('#features/office/push/web-push.server.ts');
const { makeCalendar } = await import('#features/tasks/task-reminders/calendars.server.ts');
const { saveReminderSettings } = await import('#features/tasks/task-reminders/pauses.server.ts');
const { promiseTask } = await import('#features/tasks/task-reminders/promises.server.ts');
const { remindNow } = await import('#features/tasks/task-reminders/remind-now.server.ts');
const { dayOf } = await import('#platform/text/time-zones.ts');
const { startTotp } = await import('#features/identity/second-factors/totp.server.ts');
const { addTicket, takeTicket } = await import('#features/identity/sign-in/tickets.server.ts');
const { addTransaction, takeTransaction } = await import('#features/identity/sign-in/transactions.server.ts');
const { addDocument } = await import('#features/documents/documents/adding.server.ts');
const { bytesOf } = await import('#features/documents/documents/bytes.server.ts');
const { createFolder } = await import('#features/documents/folders/folders.server.ts');
const { finishUpload, startUpload, takePart } = await import('#features/documents/uploads/parts.server.ts');
const { answerOidc } = await import('#features/identity/sign-in/provider.server.ts');
const { finishSignIn, setOwnAddress, signInWithPassword } =
  await import('#features/identity/sign-in/sign-in.server.ts');
const { invite } = await import('#features/identity/invitations/invitations.server.ts');
const { actorOf } = await import('#features/base/people/people.server.ts');
const { findSession, startSession } = await import('#features/identity/sessions/sessions.server.ts');
const { saveForm } = await import('#features/identity/sessions/saved-forms.server.ts');
const { openShare, sharedBytes, viewShare } = await import('#features/sharing/sharing/recipient.server.ts');
const { shareDocuments } = await import('#features/sharing/sharing/sending.server.ts');
const { startViewing } = await import('#features/office/staff/view-as.server.ts');
const { storePhrase } = await import('#platform/mail/mail-phrases.server.ts');
const { audit, verifyAudit } = await import('#platform/security/audit.server.ts');
const { digestsOf } = await import('#platform/database/copy.server.ts');
const { at, HOUR, now } = await import('#platform/runtime/clock.server.ts');
const { config } = await import('#platform/runtime/config.server.ts');
const { newToken, sha256 } = await import('#platform/security/crypto.server.ts');
const { closeDatabase, db, migrate } = await import('#platform/database/database.server.ts');
const { overwriteForwardedHeaders } = await import('#platform/http/http-security.server.ts');
const { runDueJobs } = await import('#platform/jobs/jobs.server.ts');
await import('../../src/app.server.ts');
const { encryptedRows } = await import('#platform/database/encrypted-rows.server.ts');
const { decryptFrom, encryptFor } = await import('#platform/security/encryption.server.ts');
const { fillEmptyTables } = await import('../support/every-table.ts');
const { store } = await import('../support/fiscal.ts');
const { pdfOf } = await import('../support/pdf.ts');
const { pkcs12 } = await import('../support/sealing.ts');
const { digestOf, fileOf, uploadAs, makeCast, startMailServer, PASSWORD, pdf, person, readAll } =
  await import('../support/cast.ts');

setOwnAddress(origin);
server.on('request', (request, response) => {
  overwriteForwardedHeaders(request);
  void answerOidc(request, response);
});

/** Follows the redirects of a sign-in as a browser does, up to the portal's own page. */
async function browse({
  location,
  cookies,
}: {
  location: string;
  cookies: string[];
}): Promise<{ callback: URL; jar: Map<string, string> }> {
  const jar = new Map<string, string>();
  const keep = (lines: string[]): void => {
    for (const line of lines) {
      const [, name = '', value = ''] = /^([^=]*)=([^;]*)/.exec(line) ?? [];
      jar.set(name, value);
    }
  };
  keep(cookies);
  let next = new URL(location);
  while (next.pathname.startsWith('/oidc/')) {
    const answer = await fetch(next, {
      redirect: 'manual',
      headers: {
        cookie: [...jar]
          .filter(([, value]) => value !== '')
          .map((pair) => pair.join('='))
          .join('; '),
      },
    });
    keep(answer.headers.getSetCookie());
    const target = answer.headers.get('location');
    if (target === null)
      throw new Error(`no way on from ${next.pathname}: ${answer.status} ${await answer.text()}`);
    next = new URL(target, next);
  }
  return { callback: next, jar };
}

let callers = 0;
const elsewhere = (): string => `198.51.${Math.floor((callers += 1) / 250) % 250}.${callers % 250}`;

/**
 * Signs in with the password, through the whole flow; returns the session cookie and the code of the flow.
 */
async function signIn(
  email: string,
): Promise<{ session: string; code: string; transaction: string; state: string }> {
  const started = await browse(
    await signInWithPassword({
      email,
      password: PASSWORD,
      network: elsewhere(),
      lang: 'en-us',
      returnTo: '/',
    }),
  );
  const transaction = started.jar.get('signin') ?? '';
  const { actor, amr } = await finishSignIn(started.callback, transaction);
  return {
    session: await startSession(actor, { amr, device: { userAgent: 'a browser', network: '192.0.2.1' } }),
    code: started.callback.searchParams.get('code') ?? '',
    transaction,
    state: started.callback.searchParams.get('state') ?? '',
  };
}

interface Sharing {
  documentIds: { id: string; containerId: string }[];
  to: string;
  subject: string;
  message: string;
  code?: string;
}

/** Shares documents and returns the token of the link, which only the mail has. */
async function share(actor: Actor, { documentIds, to, subject, message, code }: Sharing): Promise<string> {
  await shareDocuments(
    actor,
    {
      expirationPeriod: 'AfterOneWeek',
      overrides: { subject, body: message },
      recipients: [{ emailAddress: to, name: 'CANARY-RECIPIENT' }],
      sharedItems: documentIds.map(({ id, containerId }) => ({
        containerType: 'Project',
        containerId,
        documentId: id,
      })),
      ...(code !== undefined && { authorizationCode: code }),
    },
    'en-us',
  );
  const jobs = await db()
    .selectFrom('jobs')
    .select(['job_id', 'payload'])
    .where('done_at', 'is', null)
    .orderBy('created_at', 'desc')
    .limit(50)
    .execute();
  const mails = jobs.map((row) => decryptFrom('jobs.payload', row.job_id, row.payload));
  return /share\/([\w-]{43})/.exec(mails.find((mail) => mail.includes(`"to":"${to}"`)) ?? '')?.[1] ?? '';
}

/** A task with all that it can hold, which was submitted and returned. */
async function fillTasks(ada: Actor, sam: Actor, clientId: string): Promise<void> {
  const { taskId } = await createTask(sam, {
    clientId,
    type: 'misc',
    label: 'Papers',
    data: { text: 'CANARY-TASK' },
    steps: [{ data: { text: 'CANARY-STEP' }, comment: 'CANARY-REMARK' }],
    triggers: { create: [{ type: 'misc', label: 'Next' }] },
  });
  await keepAnswer(ada, taskId, { path: 'request.item-1', value: 'CANARY-KEPT' });
  await addTaskMessage(ada, taskId, { text: 'CANARY-TASK-MESSAGE' });
  await addClientMessage(ada, clientId, { text: 'CANARY-CLIENT-MESSAGE' });
  await performAction(ada, taskId, 'submit');
  await performAction(sam, taskId, 'return', { reason: 'CANARY-REASON' });
  const asked = await createTask(sam, {
    clientId,
    type: 'misc',
    label: 'Questions',
    form: {
      format: 1,
      key: 'request',
      country: 'US',
      languages: ['en-us'],
      label: { 'en-us': 'Questions' },
      sections: [
        {
          key: 'request',
          label: { 'en-us': 'Questions' },
          items: [{ kind: 'text', key: 'name', label: { 'en-us': 'Name' } }],
        },
      ],
    },
  });
  await performAction(ada, asked.taskId, 'submit');
  await decideItem(sam, asked.taskId, {
    path: 'request.name',
    submission: 1,
    sequence: 0,
    decision: 'returned',
    reason: 'CANARY-ITEM',
  });
  await prepareCreation(
    sam,
    { clientKind: '', tag: '', responsible: '', numbers: '' },
    { task: { type: 'misc', label: 'Later', data: { text: 'CANARY-BATCH' } }, creation: {} },
  );
  await performAction(sam, asked.taskId, 'return');
  const { linkId } = await insertLink({
    companyId: ada.companyId,
    taskId: asked.taskId,
    purpose: 'answer',
    section: 'request',
    path: '',
    person: 'CANARY-PERSON',
    email: 'CANARY-KEEPER@books.example',
    codeHash: null,
    showsAnswers: false,
    madeBy: ada.contactId,
    lifetime: 60_000,
  });
  await writeProposal(linkId, { 'request.name': 'CANARY-PROPOSAL' }, true);
  const { document_id: documentId } = await db()
    .selectFrom('documents')
    .select('document_id')
    .executeTakeFirstOrThrow();
  const sentBy = encryptFor('document_senders.sent_by', documentId, 'CANARY-SENDER');
  await db().insertInto('document_senders').values({ document_id: documentId, sent_by: sentBy }).execute();
  const { item_id: itemId } = await db()
    .selectFrom('inbox_items')
    .select('item_id')
    .executeTakeFirstOrThrow();
  await db()
    .updateTable('inbox_items')
    .set({ detail: encryptFor('inbox_items.detail', itemId, 'CANARY-DETAIL') })
    .where('item_id', '=', itemId)
    .execute();
  await db()
    .insertInto('request_keys')
    .values({
      request_key: 'canary',
      content_hash: '',
      node_id: '',
      started_at: now(),
      acted: 1,
      answer: encryptFor('request_keys.answer', 'canary', 'CANARY-ANSWER'),
    })
    .execute();
}

/** Payments with all that they can hold: one on the page of a provider, one that did not arrive, one confirmed. */
async function fillPayments(ada: Actor, sam: Actor, clientId: string): Promise<void> {
  offerSandbox();
  const owner = await person(sam.companyId, 'Owen Owner', 'owen@one.example', { role: 'owner' });
  await savePaymentSettings(owner, {
    currency: 'USD',
    bank: { holder: 'CANARY-HOLDER', bank: '', iban: '', routing: '', account: 'CANARY-ACCOUNT', texts: {} },
    pix: { kind: 'email', key: '', name: '', city: '' },
    provider: 'sandbox',
  });
  // without asking Stripe about them
  const keys = JSON.stringify({ secretKey: 'sk_CANARY', webhookSecret: 'whsec_CANARY' });
  const secret = encryptFor('payment_accounts.secret', sam.companyId, keys);
  await db()
    .insertInto('payment_accounts')
    .values({ company_id: sam.companyId, secret, hint: 'NARY', changed_at: now() })
    .execute();
  const invoice = {
    clientId,
    amount: 100,
    currency: 'USD',
    dueDate: null,
    ways: ['bank', 'online'],
  } as const;
  const taskId = await requestPayment(sam, { ...invoice, invoiceNumber: '1' });
  await startCheckout(ada, taskId, 'en-us');
  await reportPayment(ada, taskId, 'bank');
  await rejectPayment(sam, taskId, 'CANARY-NOT-ARRIVED');
  await confirmPayment(sam, await requestPayment(sam, { ...invoice, invoiceNumber: '2' }), {
    way: 'bank',
    receivedOn: '2026-01-05',
    reference: 'CANARY-STATEMENT',
  });
}

/** A PDF with a digital signature of somebody. */
async function signedElsewhere(bytes: Buffer): Promise<Buffer> {
  const file = await pkcs12('CANARY-ELSEWHERE', { password: 'secret' });
  const signer = await P12Signer.create(file, 'secret');
  return Buffer.from((await (await PDF.load(bytes)).sign({ signer })).bytes);
}

/** Two requests for signatures: one signed with a drawing and sealed, one by link, which was declined. */
async function fillSigning(
  ada: Actor,
  sam: Actor,
  { clientId, ...container }: { id: string; clientId: string },
) {
  const letter = await addDocument(sam, {
    containerType: 'Project',
    containerId: container.id,
    name: 'Letter.pdf',
    bytes: fileOf(await signedElsewhere(pdfOf(['CANARY-CONTENT of a letter']))),
    onConflict: 'rename',
  });
  const origin = { address: '192.0.2.1', browser: 'a browser', language: 'en-us' };
  const send = async (signer: NewSigner, identity: IdentityCheck) => {
    const input = { clientId, documentId: letter.id, title: 'Letter', dueDate: null, identity };
    const draft = await draftRequest(sam, { ...input, signers: [signer] }, 'en-us');
    await placeFields(sam, draft, fieldsAtEnd([1], [{ width: 595, height: 842 }]));
    const taskId = await sendRequest(sam, draft, { acceptsDifferences: true });
    const signing = await signingOfTask(taskId);
    const [asked] = await signersOf(draft);
    if (!signing || !asked) throw new Error('nobody is asked to sign');
    return { taskId, signing, signerId: asked.signerId, code: asked.accessCode };
  };
  const contact = { contactId: ada.contactId, name: '', email: '', place: 1 };
  const own = await send(contact, 'none');
  const party = { via: 'account' as const, actor: ada, taskId: own.taskId, origin, signerId: own.signerId };
  await agree(party, 'en-us', defaultConsent('en-us', 'Maple & Hart').sha256);
  const drawing = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'white' } })
    .composite([{ input: Buffer.from('<svg><rect width="4" height="4"/></svg>') }])
    .png()
    .toBuffer();
  await sign(party, {
    sha256: own.signing.prepared_sha256,
    name: 'CANARY-TYPED',
    values: {},
    drawing: `data:image/png;base64,${drawing.toString('base64')}`,
    date: 'Jan 5, 2026',
    timeZone: 'UTC',
  });
  await sealSigned({ signingId: own.signing.signing_id });
  const person = { contactId: null, name: 'CANARY-SIGNER', email: 'canary-signer@out.example', place: 1 };
  const other = await send(person, 'mail-code');
  const visit = await openLink(await addLink(other.signerId), other.code, {
    ...origin,
    address: elsewhere(),
  });
  const byLink = {
    via: 'link' as const,
    visit,
    taskId: other.taskId,
    origin,
    signerId: other.signerId,
  };
  await startIdentityCheck(byLink);
  await decline(byLink, 'CANARY-DECLINED');
}

/** An employee with a salary and a leave, and a change of both. */
async function fillEmployees(sam: Actor, clientId: string): Promise<void> {
  const { id } = await addEmployee(sam, clientId, {
    name: 'Mariana Alves Ferreira',
    cpf: '09448224605',
    hiredOn: '2021-03-10',
    salaryCents: 350_000,
    leaves: [{ startsOn: '2026-01-05', endsOn: '2026-01-24', reason: '15' }],
  });
  await changeEmployee(sam, id, { salaryCents: 360_000 });
}

/** A service request that was asked about and returned, with answers of two tabs. */
async function fillServiceRequests(ada: Actor, sam: Actor, owner: Actor, clientId: string): Promise<void> {
  await setFlag(owner, 'ServiceRequest.Denied', false);
  const contact = await actorOf(ada.contactId);
  const id = await beginRequest(contact, { clientId, type: 'generalRequests' });
  const enter = (tab: string, path: string, value: string) =>
    saveChanges(
      contact,
      id,
      answerChanges.parse({ tab, language: 'pt', changes: [{ path, value, base: 0, sequence: 1 }] }),
    );
  await enter('firstTabOfAda1', 'request.subject', 'CANARY-SUBJECT');
  await enter('firstTabOfAda1', 'request.department', 'payroll');
  await enter('firstTabOfAda1', 'request.text', 'CANARY-REQUEST');
  await performRequestAction(contact, id, 'submit');
  await performRequestAction(sam, id, 'ask', { text: 'CANARY-QUESTION' });
  await performRequestAction(contact, id, 'answer', { text: 'CANARY-ANSWER' });
  await performRequestAction(sam, id, 'return', {
    marks: [{ path: 'request.text', reason: 'CANARY-MARK' }],
  });
  // as from a tab that was opened before the first answer
  await enter('otherTabOfAda', 'request.text', 'CANARY-KEPT');
}

/** Payroll entries that were sent, returned and pasted into, and some that were typed into a closed sheet. */
async function fillPayrollEntries(ada: Actor, sam: Actor, owner: Actor, clientId: string): Promise<void> {
  const contact = await actorOf(ada.contactId);
  const month = monthOf(await todayOf(owner.companyId));
  const listId = await addList(
    owner,
    listInput.parse({
      name: 'CANARY-LIST',
      payroll: 'monthly',
      from: previousMonth(month),
      dueDay: 25,
      columns: [{ key: 'c1', label: 'CANARY-COLUMN', type: 'hours' }],
    }),
  );
  await publishList(owner, listId);
  const [sheet, earlier] = await listSheets(contact, clientId);
  const [id, closed] = [sheet?.id ?? '', earlier?.id ?? ''];
  const { entries } = await openSheet(contact, id);
  const employeeId = entries[0]?.employee.id ?? '';
  await saveCells(contact, id, [{ employeeId, column: 'c1', value: 60, base: 0 }]);
  await submitSheet(contact, id, { isConfirmed: true });
  await returnSheet(sam, id, { reason: 'CANARY-RETURN', cells: [] });
  const { version } = (await openSheet(contact, id)).sheet;
  await applyPaste(contact, id, { text: 'CANARY-COLUMN\n2:00', version });
  await saveCells(contact, closed, [{ employeeId, column: 'c1', value: 30, base: 0 }]);
  await submitSheet(contact, closed, { isConfirmed: true });
  await replyToSheet(sam, closed, { text: 'CANARY-REPLY' });
  await saveCells(contact, closed, [{ employeeId, column: 'c1', value: 90, base: 0 }]).catch(() => undefined);
}

/** A request for a certificate that its agency refused. */
async function fillCertificates(owner: Actor, clientId: string): Promise<void> {
  await updateClient(owner, clientId, {
    taxIds: [{ kind: 'cnpj', number: '99.304.518/0001-86' }],
    allowDuplicate: true,
  });
  const followed = { clientId, agencyId: 'labor' };
  await followAgency(owner, { ...followed, renewBeforeDays: 15, notifiesClient: false });
  await noteAttempt(owner, { ...followed, status: 'failed', note: 'CANARY-REFUSAL' });
  const endsOn = dayOf(now() + 48 * HOUR, 'UTC');
  await makePassport(owner, { clientId, recipient: 'CANARY-BANK', agencyIds: ['labor'], endsOn });
}

/** The digital certificate of a client, and an event about an invoice that is sent to the authority. */
async function fillManifest({ companyId, contactId }: Actor, clientId: string): Promise<void> {
  const own = { company_id: companyId, client_id: clientId };
  const [certificateId, intentId] = ['certificate_canary', 'intent_canary'];
  await db()
    .insertInto('client_certificates')
    .values({
      ...own,
      certificate_id: certificateId,
      secret: encryptFor('client_certificates.secret', certificateId, '{"key":"CANARY-KEY","pem":""}'),
      cnpj: '99304518000186',
      holder: 'Bakery',
      issuer: 'AC',
      fingerprint: '',
      valid_from: 0,
      valid_to: now() + 48 * HOUR,
      next_notice_on: '',
      refused_code: '',
      stored_by: contactId,
      stored_at: now(),
    })
    .execute();
  await db()
    .insertInto('manifest_documents')
    .values({
      ...own,
      manifest_id: 'manifest_canary',
      access_key: '35261131550824000169550010000000011123456780',
      number: 1,
      series: '1',
      issuer_id: '31550824000169',
      issuer_name: 'Mill',
      issuer_key: 'mill',
      issued_at: now(),
      authorized_at: now(),
      total_cents: 100,
      last_day: '2099-12-31',
      next_reminder_on: '',
      document_id: null,
      status: 'pending',
      intent: 'sent',
      intent_id: intentId,
      version: 1,
      created_at: now(),
      changed_at: now(),
    })
    .execute();
  await db()
    .insertInto('manifest_intents')
    .values({
      ...own,
      intent_id: intentId,
      manifest_id: 'manifest_canary',
      event: 'notDone',
      justification: encryptFor('manifest_intents.justification', intentId, 'CANARY-JUSTIFICATION'),
      by_staff: 1,
      marked_by: contactId,
      marked_at: now(),
      decided_by: contactId,
      decided_at: now(),
      reason: encryptFor('manifest_intents.reason', intentId, 'CANARY-REFUSED'),
      state: 'sending',
      receipt: null,
    })
    .execute();
  await db()
    .insertInto('manifest_sendings')
    .values({
      ...own,
      intent_id: intentId,
      manifest_id: 'manifest_canary',
      event_id: 'ID210240',
      lot: '1',
      xml: encryptFor('manifest_sendings.xml', intentId, '<evento>CANARY-EVENT</evento>'),
      sequence: 1,
      state: 'unclear',
      attempts: 1,
      looks: 0,
      sent_at: now(),
      next_at: now() + 48 * HOUR,
      code: '',
      reason: '',
    })
    .execute();
}

/** Tax dates of a client, one of the firm's own, and one that was moved. */
async function fillTaxDates(owner: Actor, clientId: string): Promise<void> {
  await saveProfile(owner, clientId, { country: 'us', facts: {}, version: 0 });
  const soon = dayOf(now() + 48 * HOUR, 'UTC');
  await addDate(owner, clientId, {
    name: 'CANARY-DATE',
    kind: 'file',
    startsOn: soon,
    repeats: 'once',
    roll: 'none',
  });
  const { tax_date_id: taxDateId } = await db()
    .selectFrom('tax_dates')
    .select('tax_date_id')
    .where('client_id', '=', clientId)
    .executeTakeFirstOrThrow();
  await moveDate(owner, taxDateId, { day: soon, reason: 'CANARY-MOVED' });
}

/** A task with a reminder, a planned date, times for reminders and a calendar. */
async function fillReminders(ada: Actor, sam: Actor, clientId: string): Promise<void> {
  const { taskId } = await createTask(sam, { clientId, type: 'misc', label: 'Remind', dueDate: null });
  await remindNow(sam, [taskId]);
  // whether it is due now depends on the time of day
  const later = { run_at: now() + 24 * HOUR };
  await db().updateTable('jobs').set(later).where('kind', '=', 'task-digest').execute();
  await promiseTask(ada, taskId, dayOf(now() + 48 * HOUR, 'UTC'));
  await saveReminderSettings(ada, {
    timeZone: 'America/Chicago',
    sendHour: 10,
    restDays: ['6', '7'],
    isPaused: false,
    pausedUntil: '',
  });
  await makeCalendar(ada);
}

/** Subscribes a browser for push notifications. */
async function fillPush(ada: Actor): Promise<void> {
  const device = { userAgent: 'CANARY-BROWSER', network: '192.0.2.1' };
  const session = await findSession(await startSession(ada, { amr: ['pwd'], device }));
  if (!session) throw new Error('Ada is not signed in');
  const subscription = {
    endpoint: 'https://fcm.googleapis.com/fcm/send/CANARY-PUSH',
    keys: { p256dh: newVapidKeys().publicKey, auth: randomBytes(16).toString('base64url') },
    showsTitles: true,
    isRenewal: false,
  };
  await subscribe(session, subscription, { language: 'en-us', userAgent: device.userAgent });
  await vapidKeys();
}

/** Uploads as uploadAs does, in two parts. */
async function uploadInParts(
  actor: Actor,
  place: Parameters<typeof uploadAs>[1],
  filename: string,
  content: string,
): ReturnType<typeof finishUpload> {
  const bytes = pdf(content);
  const { uploadId } = await startUpload(actor, bytes.length, {
    filename,
    containerType: place.containerType,
    containerId: place.id,
    onConflict: 'fail',
  });
  await takePart(actor, uploadId, { offset: 0, bytes: Readable.from([bytes.subarray(0, 40)]) });
  await takePart(actor, uploadId, { offset: 40, bytes: Readable.from([bytes.subarray(40)]) });
  return finishUpload(actor, uploadId);
}

/**
 * A day in the life of a portal: people, documents in folders, sign-ins, opened links, sent and pending
 * mails. Returns every secret and text of it.
 */
async function fill(documents = 6) {
  const { ada, sam, projectA } = await makeCast();
  // its people sign in by password alone
  await db().updateTable('firms').set({ second_step: 'nobody' }).execute();
  const folder = await createFolder(sam, { name: 'Bank', parentId: projectA.id, parentType: 'Project' });
  const deep = await createFolder(sam, { name: 'July', parentId: folder.id, parentType: 'Folder' });
  const contents = Array.from(
    { length: documents },
    (_, index) => `CANARY-CONTENT-${index} ${'figures '.repeat(30 * index)}`,
  );
  const kept = [];
  for (const [index, content] of contents.entries())
    kept.push(
      await (index === 1 ? uploadInParts : uploadAs)(
        ada,
        index % 3 === 2 ? deep : projectA,
        `Statement ${index}.pdf`,
        content,
      ),
    );
  const inProject = kept
    .filter((_, index) => index % 3 !== 2)
    .map(({ id }) => ({ id, containerId: projectA.id }));

  await fillSigning(ada, sam, projectA);
  await fillReminders(ada, sam, projectA.clientId);
  await fillPush(ada);
  await startMailbox();
  const sent = await share(ada, {
    documentIds: inProject,
    to: 'canary-sent@friend.example',
    subject: 'CANARY-SUBJECT-SENT',
    message: 'CANARY-MESSAGE-SENT',
  });
  await runDueJobs();
  await stopMailbox();
  const visit = await openShare(sent, undefined, elsewhere());
  const waiting = await share(ada, {
    documentIds: inProject,
    to: 'canary-waiting@friend.example',
    subject: 'CANARY-SUBJECT-WAITING',
    message: 'CANARY-MESSAGE-WAITING',
    code: 'CANARY-code-77',
  });
  const coded = await openShare(waiting, 'CANARY-code-77', elsewhere());
  const { session, code, transaction } = await signIn('ada@one.example');
  const ticket = await addTicket(sam.prismGuid, ['pwd'], HOUR);
  const state = newToken();
  const underWay = await addTransaction({
    state,
    nonce: newToken(),
    code_verifier: newToken(),
    redirect_uri: '/',
    return_to: '/',
    purpose: { kind: 'step-up' },
  });
  await addComment(ada, { documentId: kept[0]?.id ?? '', text: 'CANARY-COMMENT' });
  await fillTasks(ada, sam, projectA.clientId);
  await fillPayments(ada, sam, projectA.clientId);
  await fillEmployees(sam, projectA.clientId);
  const olive = await person(sam.companyId, 'Olive Owner', 'olive@one.example', { role: 'owner' });
  await fillServiceRequests(ada, sam, olive, projectA.clientId);
  await fillPayrollEntries(ada, sam, olive, projectA.clientId);
  await fillCertificates(olive, projectA.clientId);
  await fillManifest(olive, projectA.clientId);
  await fillTaxDates(olive, projectA.clientId);
  await store(ada, projectA.clientId, '<order>CANARY-FISCAL</order>'); // a file with its bytes in a pack
  await db()
    .insertInto('fiscal_mail_addresses')
    .values({
      token_key: 'canary',
      company_id: sam.companyId,
      client_id: projectA.clientId,
      token: encryptFor('fiscal_mail_addresses.token', 'canary', 'CANARY-MAIL-ADDRESS'),
      created_at: now(),
      created_by: ada.contactId,
    })
    .execute();
  await lookAndInvite(ada, sam);
  // notices are held back for half a minute or some, which the tests of a busy machine may take
  await db()
    .updateTable('jobs')
    .set({ run_at: now() + 24 * HOUR })
    .where('run_at', '>', sql<number>`created_at + 1000`)
    .execute();
  return {
    adaId: ada.contactId,
    firmId: ada.companyId,
    documents: kept.map(({ id }, index) => ({ id, sha256: digestOf(pdf(contents[index] ?? '')) })),
    links: { sent, waiting },
    codes: { waiting: 'CANARY-code-77' },
    visits: { sent: visit, waiting: coded },
    session,
    ticket,
    transaction: underWay,
    state,
    usedCode: code,
    usedTransaction: transaction,
    at: now(),
  };
}

/**
 * All other encrypted data: a form submitted too late, an authenticator app being set up, an invitation, and
 * a reason for viewing as a contact.
 */
async function lookAndInvite(contact: Actor, staff: Actor): Promise<void> {
  const device = { userAgent: 'a browser', network: '192.0.2.1' };
  const owner = await person(contact.companyId, 'Olga Owner', 'olga@one.example', { role: 'owner' });
  const session = await findSession(await startSession(owner, { amr: ['pwd', 'otp', 'mfa'], device }));
  if (!session) throw new Error('the owner is not signed in');
  await startViewing(session, { contactId: contact.contactId, reason: 'CANARY-REASON of a look' });
  await invite(owner, {
    emailAddress: 'canary-invited@friend.example',
    firstName: 'New',
    lastName: 'Nelson',
    language: 'en-us',
    clientIds: [],
  });
  await changeConsentText(owner, 'fr', 'Notre texte.');
  await startTotp(staff.prismGuid);
  const over = newToken();
  await db()
    .insertInto('ended_sessions')
    .values({ session_hash: sha256(over), contact_id: contact.contactId, ended_at: now() })
    .execute();
  const form = new FormData();
  form.set('message', 'CANARY-FORM');
  if ((await saveForm(over, '/', form)) === undefined) throw new Error('the form was not kept');
  await addOfFirmSide(owner);
  await storePhrase(owner.contactId, 'CANARY-PHRASE');
}

/** Encrypted data of the firm's side, as its features store it. */
async function addOfFirmSide({ companyId, contactId, prismGuid }: Actor): Promise<void> {
  const instant = now();
  const { client_id: clientId } = await db()
    .selectFrom('clients')
    .select('client_id')
    .where('company_id', '=', companyId)
    .orderBy('client_id')
    .limit(1)
    .executeTakeFirstOrThrow();
  await db()
    .updateTable('clients')
    .set({ address: encryptFor('clients.address', clientId, '{"country":"US","city":"CANARY-CITY"}') })
    .where('client_id', '=', clientId)
    .execute();
  await db()
    .insertInto('client_tax_ids')
    .values({
      client_id: clientId,
      kind: 'ein',
      value: encryptFor('client_tax_ids.value', `${clientId}/ein`, '123456789'),
      value_key: 'k',
    })
    .execute();
  await db()
    .insertInto('email_changes')
    .values({
      change_id: 'change_1',
      company_id: companyId,
      prism_guid: prismGuid,
      email: encryptFor('email_changes.email', 'change_1', 'canary-new@friend.example'),
      email_key: 'k',
      token_hash: sha256(newToken()),
      requested_by: contactId,
      expires_at: instant + HOUR,
    })
    .execute();
  await db()
    .insertInto('grid_filters')
    .values({
      filter_id: 'filter_1',
      contact_id: contactId,
      grid: 'clients',
      name: encryptFor('grid_filters.name', 'filter_1', 'CANARY-FILTER'),
      query: encryptFor('grid_filters.query', 'filter_1', '?searchTerm=CANARY-TERM'),
      created_at: instant,
    })
    .execute();
  await db()
    .insertInto('articles')
    .values({
      article_id: 'article_1',
      company_id: companyId,
      language: 'en-us',
      audience: 'all',
      state: 'draft',
      publish_at: null,
      expire_at: null,
      is_pinned: 0,
      notifies: 0,
      author: contactId,
      version: 1,
      created_at: instant,
      modified_at: instant,
    })
    .execute();
  await db()
    .insertInto('article_texts')
    .values({
      article_id: 'article_1',
      lang: 'en-us',
      title: encryptFor('article_texts.title', 'article_1/en-us', 'CANARY-NEWS'),
      summary: encryptFor('article_texts.summary', 'article_1/en-us', 'CANARY-SUMMARY'),
      body: encryptFor('article_texts.body', 'article_1/en-us', 'CANARY-ARTICLE'),
    })
    .execute();
  const textKey = `${companyId}/news/en-us`;
  await db()
    .insertInto('mail_texts')
    .values({
      company_id: companyId,
      kind: 'news',
      lang: 'en-us',
      subject: encryptFor('mail_texts.subject', textKey, 'CANARY-WORDS'),
      introduction: encryptFor('mail_texts.introduction', textKey, 'CANARY-INTRODUCTION'),
      version: 1,
      changed_at: instant,
      changed_by: contactId,
    })
    .execute();
  await db().insertInto('push_offers').values({ contact_id: contactId, declined_at: instant }).execute();
  await db()
    .insertInto('practice_firms')
    .values({ practice_of: companyId, company_id: companyId, made_by: contactId, made_at: instant })
    .execute();
  await db()
    .insertInto('practice_people')
    .values({ member_id: contactId, company_id: companyId, contact_id: contactId })
    .execute();
  await db()
    .insertInto('feedback')
    .values({
      feedback_id: 'feedback_1',
      company_id: companyId,
      contact_id: contactId,
      article: null,
      page: 'documents',
      rating: 'bad',
      message: encryptFor('feedback.message', 'feedback_1', 'CANARY-FEEDBACK'),
      created_at: instant,
      seen_at: null,
    })
    .execute();
  await db()
    .insertInto('issue_reports')
    .values({
      code: 'k7m2p-9xw4t',
      company_id: companyId,
      contact_id: contactId,
      viewed_by: null,
      about: 'portal',
      source: '/',
      release: '0',
      description: encryptFor('issue_reports.description', 'k7m2p-9xw4t', 'CANARY-PROBLEM'),
      details: encryptFor('issue_reports.details', 'k7m2p-9xw4t', '["CANARY-DETAIL"]'),
      state: 'answered',
      answer: encryptFor('issue_reports.answer', 'k7m2p-9xw4t', 'CANARY-ANSWER'),
      answered_by: contactId,
      answered_at: instant,
      created_at: instant,
      settled_at: instant,
    })
    .execute();
  await db()
    .insertInto('legal_holds')
    .values({
      client_id: clientId,
      company_id: companyId,
      reason: encryptFor('legal_holds.reason', clientId, 'CANARY-HOLD'),
      held_by: contactId,
      held_at: instant,
    })
    .execute();
  await db()
    .insertInto('publish_batches')
    .values({
      batch_id: 'batch_1',
      company_id: companyId,
      created_by: contactId,
      name: 'Payslips',
      folder: '',
      year: 2026,
      client_id: null,
      container_id: null,
      message: encryptFor('publish_batches.message', 'batch_1', 'CANARY-BATCH'),
      notify: 1,
      state: 'open',
      created_at: instant,
      published_at: null,
      notify_at: null,
      notified_count: null,
    })
    .execute();
  const { document_id: documentId, container_id: containerId } = await db()
    .selectFrom('documents')
    .innerJoin('clients', 'clients.client_id', 'documents.client_id')
    .select(['document_id', 'container_id'])
    .where('clients.company_id', '=', companyId)
    .orderBy('document_id')
    .limit(1)
    .executeTakeFirstOrThrow();
  const message = encryptFor('upload_notices.message', documentId, 'CANARY-NOTICE');
  await db()
    .insertInto('upload_notices')
    .values({
      document_id: documentId,
      company_id: companyId,
      container_id: containerId,
      created_by: contactId,
      by_staff: 1,
      message,
      created_at: instant,
      told_at: instant,
    })
    .onConflict((conflict) => conflict.column('document_id').doUpdateSet({ message }))
    .execute();
  await db()
    .insertInto('batches')
    .values({
      batch_id: 'import_1',
      company_id: companyId,
      kind: 'import',
      state: 'undone',
      stopped_by: '',
      created_by: contactId,
      runs_as: contactId,
      total: 1,
      position: 1,
      created_at: instant,
      moved_at: instant,
      finished_at: instant,
    })
    .execute();
  await db()
    .insertInto('imports')
    .values({
      import_id: 'import_1',
      kind: 'clients',
      file_name: encryptFor('imports.file_name', 'import_1', 'CANARY-FILE.csv'),
      columns: encryptFor('imports.columns', 'import_1', '["CANARY-COLUMN"]'),
      blob_key: null,
      place: encryptFor('imports.place', 'import_1', '{"headingLine":1,"sheet":"CANARY-SHEET","sheets":[]}'),
      mapping: '[]',
      invites: 0,
    })
    .execute();
  await db()
    .insertInto('import_rows')
    .values({
      import_id: 'import_1',
      number: 1,
      line: 2,
      cells: encryptFor('import_rows.cells', 'import_1/1', '["CANARY-CELL"]'),
      row_key: '',
      action: '',
      state: 'waiting',
      problems: '[]',
      changes: '[]',
      target_id: '',
      before_image: encryptFor('import_rows.before_image', 'import_1/1', '{"name":"CANARY-BEFORE"}'),
    })
    .execute();
  await db()
    .insertInto('invitation_batches')
    .values({
      batch_id: 'batch_1',
      problems: encryptFor('invitation_batches.problems', 'batch_1', '["CANARY-LINE"]'),
    })
    .execute();
  const { mail_id: mailId } = await db()
    .selectFrom('mails')
    .select('mail_id')
    .orderBy('mail_id')
    .limit(1)
    .executeTakeFirstOrThrow();
  await db()
    .updateTable('mails')
    .set({ content: encryptFor('mails.content', mailId, '{"text":"CANARY-CONTENT"}') })
    .where('mail_id', '=', mailId)
    .execute();
}
export type Filled = Awaited<ReturnType<typeof fill>>;

/** Does the same, and keeps running until told to end. */
async function fillAndStay(): Promise<Filled & { secrets: string[] }> {
  const filled = await fill();
  const secrets = [...(await secretsOf('settings.value')), ...(await secretsOf('blobs.wrapped_key'))];
  const ended = once(process.stdin, 'end');
  process.stdin.resume();
  process.stdout.write('under way\n');
  await ended;
  return { ...filled, secrets };
}

/** Does the same, with so many megabytes in files of 8. */
async function fillLarge(megabytes: number): Promise<Filled> {
  const filled = await fill();
  const ada = await actorOf(filled.adaId);
  const { container_id: containerId } = await db()
    .selectFrom('documents')
    .select('container_id')
    .where('document_id', '=', filled.documents[0]?.id ?? '')
    .executeTakeFirstOrThrow();
  for (let done = 0; done < megabytes; done += 8)
    await uploadAs(
      ada,
      { id: containerId, containerType: 'Project' },
      `Scan ${done}.pdf`,
      randomBytes(4 * 1024 * 1024).toString('hex'),
    );
  return filled;
}

async function secretsOf(column: string): Promise<string[]> {
  const rows = await Array.fromAsync(encryptedRows());
  return rows
    .filter((row) => row.column === column)
    .map((row) => decryptFrom(row.column, row.id, row.encrypted));
}

const works = async (work: () => Promise<unknown>): Promise<boolean> =>
  work().then(
    (found) => found !== undefined,
    () => false,
  );

/** Reports what of an earlier day still works here, and whether new actions do. */
async function tryAll(filled: Filled) {
  const ada = await actorOf(filled.adaId);
  const old = {
    session: await works(() => findSession(filled.session)),
    ticket: await works(() => takeTicket(filled.ticket)),
    transaction: await works(() => takeTransaction(filled.transaction, filled.state)),
    sentLink: (await viewShare(filled.links.sent, filled.visits.sent)).kind,
    waitingLink: (await viewShare(filled.links.waiting, undefined)).kind,
    code: await works(() => openShare(filled.links.waiting, filled.codes.waiting, elsewhere())),
    visit: await works(() => sharedBytes(filled.links.sent, filled.visits.sent)),
  };
  const bytes = await bytesOf(
    ada,
    filled.documents.map(({ id }) => id),
  );
  const digests = await Promise.all(bytes.map(async ({ open }) => digestOf(await readAll(open()))));
  const documentsAreWhole =
    filled.documents.every(({ sha256 }) => digests.includes(sha256)) &&
    digests.length === filled.documents.length;

  const mailServer = await startMailServer();
  // as at the end of that day, however long ago it was: notices that come due later would be sent, too
  const leftOver = (await at(filled.at, () => mailServer.deliver())).length;
  const { container_id: containerId } = await db()
    .selectFrom('documents')
    .select('container_id')
    .where('document_id', '=', filled.documents[0]?.id ?? '')
    .executeTakeFirstOrThrow();
  const link = await share(ada, {
    documentIds: [{ id: filled.documents[0]?.id ?? '', containerId }],
    to: 'new@friend.example',
    subject: 'New',
    message: 'New',
  });
  const visit = await openShare(link, undefined, elsewhere());
  const [file] = await sharedBytes(link, visit);
  const newLinkWorks =
    file !== undefined && digestOf(await readAll(file.open())) === filled.documents[0]?.sha256;
  const letters = await mailServer.deliver();
  await mailServer.close();
  return {
    old,
    documentsAreWhole,
    leftOver,
    newLinkWorks,
    newMails: letters.length,
    signsIn: await works(async () => findSession((await signIn('ada@one.example')).session)),
  };
}

/** Ends everything in the portal that an earlier backup still has. */
async function endAll(filled: Filled) {
  await db().deleteFrom('sessions').execute();
  await db().updateTable('shares').set({ revoked_at: now() }).execute();
  await takeTicket(filled.ticket);
  await takeTransaction(filled.transaction, filled.state);
  await db().updateTable('jobs').set({ done_at: now(), payload: '' }).where('done_at', 'is', null).execute();
  return true;
}

/** Works as fast as it can until told to end: people sign in, upload, download, share and open links. */
async function busy() {
  let ended = false;
  process.stdin.once('end', () => (ended = true)).resume();
  const done = { signIns: 0, uploads: 0, downloads: 0, shares: 0, openings: 0 };
  const errors: string[] = [];
  const project = await db()
    .selectFrom('containers')
    .selectAll()
    .where('container_type', '=', 'project')
    .orderBy('created_at')
    .executeTakeFirstOrThrow();
  const turn = async (worker: number, index: number, actor: Actor, email: string): Promise<void> => {
    const content = pdf(`turn ${worker} ${index} ${'x'.repeat(index % 7 === 0 ? 200_000 : 300)}`);
    const document = await addDocument(actor, {
      containerType: 'Project',
      containerId: project.container_id,
      name: `Turn ${worker} ${index}.pdf`,
      bytes: fileOf(content),
      onConflict: 'rename',
    });
    done.uploads += 1;
    const [file] = await bytesOf(actor, [document.id]);
    if (!file || !(await readAll(file.open())).equals(content))
      throw new Error('a download is not what was uploaded');
    done.downloads += 1;
    if (index % 2 === 0) {
      const token = await share(actor, {
        documentIds: [{ id: document.id, containerId: project.container_id }],
        to: `turn-${worker}-${index}@friend.example`,
        subject: 'Turn',
        message: 'Turn',
      });
      done.shares += 1;
      const visit = await openShare(token, undefined, elsewhere());
      const [shared] = await sharedBytes(token, visit);
      if (!shared || !(await readAll(shared.open())).equals(content))
        throw new Error('a shared file is not what was uploaded');
      done.openings += 1;
    }
    if (index % 4 === 0 && (await findSession((await signIn(email)).session))) done.signIns += 1;
  };
  const work = async (worker: number): Promise<void> => {
    for (let index = 0, actor: Actor | undefined, email = ''; !ended; index += 1) {
      try {
        if (!actor || index % 90 === 0) {
          email = `busy-${newToken()}@one.example`;
          actor = await person(project.company_id, `Busy ${worker}`, email, { role: 'member' });
        }
        await turn(worker, index, actor, email);
      } catch (error) {
        errors.push(
          error instanceof Error
            ? `${error.name} ${error.message} ${(error.stack ?? '').split('\n')[1]}`
            : String(error),
        );
      }
      if (index === 0) process.stdout.write('under way\n');
    }
  };
  await Promise.all([work(1), work(2)]);
  return { done, errors };
}

/** Writes many entries into one firm's audit log concurrently. */
async function auditAtOnce(count: number) {
  const { company_id: companyId } = await db()
    .selectFrom('firms')
    .select('company_id')
    .orderBy('company_id')
    .executeTakeFirstOrThrow();
  const before = (await verifyAudit()).entries;
  await Promise.all(
    Array.from({ length: count }, (_, index) =>
      audit({ companyId, actor: 'contact_test', action: 'document.upload', target: `doc_${index}` }),
    ),
  );
  const { entries, faults } = await verifyAudit();
  return { added: entries - before, faults };
}

/** Tries to change the audit log in the database directly. */
async function changeAudit() {
  const tries = {
    update: () => db().updateTable('audit').set({ actor: 'nobody' }).execute(),
    updateOne: () => db().updateTable('audit').set({ details: '{}' }).where('seq', '=', 1).execute(),
    delete: () => db().deleteFrom('audit').execute(),
    deleteOne: () => db().deleteFrom('audit').where('seq', '=', 1).execute(),
  };
  const refusals: Record<string, string> = {};
  for (const [name, work] of Object.entries(tries))
    refusals[name] = await work().then(
      () => 'done',
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
  return { refusals, faults: (await verifyAudit()).faults };
}

const ACTS = {
  fill,
  fillAndStay,
  fillLarge,
  tryAll,
  endAll,
  busy,
  auditAtOnce,
  changeAudit,
  migrate: async () => (await migrate(), true),
  /** Adds rows to the tables that have none. Returns their names. */
  fillEmptyTables: () => fillEmptyTables({ database: db(), isPostgres: config.databaseUrl !== undefined }),
  /** A digest of every table, independent of the engine. */
  digests: () => digestsOf(db()),
  audit: verifyAudit,
  /** Adds an event an hour in the future. */
  actAhead: (companyId: string) =>
    at(now() + HOUR, () =>
      audit({ companyId, actor: 'contact_test', action: 'session.start', target: 'user_test' }).then(
        () => true,
      ),
    ),
  /** Adds a mail to the outbox some hours in the past. */
  ageJobs: async (hours: number) => (
    await db()
      .updateTable('jobs')
      .set({ created_at: now() - hours * HOUR })
      .where('done_at', 'is', null)
      .execute(),
    true
  ),
};
export type Acts = typeof ACTS;

const [, , name = '', given = '[]'] = process.argv;
const answer = await (ACTS[name as keyof Acts] as (...args: unknown[]) => Promise<unknown>)(
  ...(JSON.parse(given) as unknown[]),
);
process.stdout.write(`\n${JSON.stringify(answer)}\n`);
await closeDatabase();
server.closeAllConnections();
server.close();
