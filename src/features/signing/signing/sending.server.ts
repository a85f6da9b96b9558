import { randomInt } from 'node:crypto';
import { firmOf } from '#features/base/firms/firms.server.ts';
import { actorNow, actorOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { assertSealable } from '#features/documents/seals/sealing.server.ts';
import { createTask } from '#features/tasks/tasks/creating.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { DAY, now } from '#platform/runtime/clock.server.ts';
import { newToken, sha256 } from '#platform/security/crypto.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { encryptFor } from '#platform/security/encryption.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { DEFAULT_LANG, languageOf } from '#platform/text/languages.ts';
import { queueMail } from '#platform/mail/mail.server.ts';
import { draftOf, preparedBytes } from './drafting.server.ts';
import { addEvidence } from './evidence.server.ts';
import { fieldsOf, notCarried, signersOf, type Signer, type SigningRow } from './internal/rows.server.ts';
import { invitationMail } from './mails.server.ts';
import { currentPlace } from './rules.ts';

const LINK_LASTS = 60 * DAY;
const CODE_DIGITS = 8;

/**
 * Sends a draft: creates its task, and invites those who sign first. Returns the id of the task. FORBIDDEN,
 * NOT_FOUND; INCOMPLETE with the numbers of signers without a required signature; NOT_POSSIBLE with `cause` `unconfirmed` if
 * the original bears signatures or shows pages that the document to sign does not, unless the sender accepts that, and with
 * `pages` that could not be sealed as they will be signed.
 */
export async function sendRequest(
  actor: Actor,
  signingId: string,
  { acceptsDifferences = false }: { acceptsDifferences?: boolean } = {},
): Promise<string> {
  await assertCanBeSealed(actor, await draftOf(actor, signingId));
  return inTransaction(async () => {
    const current = await actorNow(actor);
    const draft = await draftOf(current, signingId);
    const signers = await signersOf(signingId);
    const fields = await fieldsOf(signingId);
    const without = signers.filter(
      ({ signerId }) =>
        !fields.some((field) => field.kind === 'signature' && field.required && field.signerId === signerId),
    );
    if (without.length > 0)
      throw new PortalError('INCOMPLETE', { signers: without.map(({ number }) => number) });
    const { signatures, differences } = notCarried(draft);
    if (signatures.length + differences.length > 0 && !acceptsDifferences)
      throw new PortalError('NOT_POSSIBLE', { cause: 'unconfirmed', signatures, differences });
    const { taskId } = await createTask(
      current,
      {
        clientId: draft.client_id,
        type: 'esign',
        label: draft.title,
        dueDate: draft.due_on,
        sendNotification: false, // signers are invited when it is their turn
      },
      { acceptedBy: 'system', isPrepared: true },
    );
    await db()
      .updateTable('sign_documents')
      .set({ task_id: taskId, state: 'sent', sent_at: now() })
      .where('signing_id', '=', signingId)
      .execute();
    await addEvidence(signingId, 'sent', {
      data: {
        by: current.fullName,
        document: draft.document_name,
        source: draft.source_sha256,
        prepared: draft.prepared_sha256,
        ...(signatures.length > 0 && { foreignSignatures: signatures.map(({ name }) => name) }),
        ...(differences.length > 0 && { differentPages: differences.map(({ page }) => page) }),
      },
    });
    for (const signer of signers) if (signer.contactId === null) await newAccessCode(signer);
    await audit({
      companyId: draft.company_id,
      actor: current.contactId,
      action: 'signing.send',
      target: taskId,
      clientId: draft.client_id,
      details: { signers: signers.length, sha256: draft.prepared_sha256 },
    });
    await inviteNext({ ...draft, task_id: taskId });
    return taskId;
  });
}

/** Tries the seal with a text in each field before anybody signs: afterwards it would be too late to choose another file. */
async function assertCanBeSealed(actor: Actor, draft: SigningRow): Promise<void> {
  const names = new Map((await signersOf(draft.signing_id)).map(({ signerId, name }) => [signerId, name]));
  const fields = await fieldsOf(draft.signing_id);
  await assertSealable(
    { person: actor.contactId, firm: actor.companyId },
    {
      prepared: await preparedBytes(draft),
      stamps: fields.map(({ kind, page, x, y, width, height, signerId }) => ({
        page: page - 1,
        x,
        y,
        width,
        height,
        kind,
        text: kind === 'signature' ? (names.get(signerId) ?? 'X') : 'X',
      })),
    },
  );
}

/** Invites those whose turn it is and who were not invited, within the open transaction. */
export async function inviteNext(signing: SigningRow): Promise<void> {
  const signers = await signersOf(signing.signing_id);
  const place = currentPlace(signers);
  for (const signer of signers)
    if (signer.place === place && signer.state === 'waiting' && signer.invitedAt === null)
      await invite(signing, signer, 'invited');
}

/** Invites a signer: with an account by the address of the task, otherwise by a link of their own. */
async function invite(signing: SigningRow, signer: Signer, kind: 'invited' | 'link-renewed'): Promise<void> {
  const { signer_id: id } = await db()
    .updateTable('signers')
    .set({ invited_at: now() })
    .where('signer_id', '=', signer.signerId)
    .returning('signer_id')
    .executeTakeFirstOrThrow();
  const token = signer.contactId === null ? await addLink(id) : undefined;
  await addEvidence(signing.signing_id, kind, { signerId: id, data: { to: signer.email } });
  await queueMail(
    invitationMail({
      signing,
      signer,
      token,
      firm: await firmOf(signing.company_id),
      sender: await actorOf(signing.sender),
      lang: languageOf(signer.language) ?? DEFAULT_LANG,
    }),
    token === undefined ? `sign-${id}` : `sign-${sha256(token)}`,
  );
}

/** Adds a link of a signer, and returns its token, of which only the digest is stored. */
export async function addLink(signerId: string): Promise<string> {
  const token = newToken();
  await db()
    .insertInto('sign_links')
    .values({
      token_hash: sha256(token),
      signer_id: signerId,
      created_at: now(),
      expires_at: now() + LINK_LASTS,
      revoked_at: null,
    })
    .execute();
  return token;
}

/** Ends the links of signers, and the browsers in which they were opened. */
export async function revokeLinks(signerIds: readonly string[]): Promise<void> {
  if (signerIds.length === 0) return;
  await db()
    .updateTable('sign_links')
    .set({ revoked_at: now() })
    .where('signer_id', 'in', signerIds)
    .where('revoked_at', 'is', null)
    .execute();
  await db().deleteFrom('sign_visits').where('signer_id', 'in', signerIds).execute();
}

/**
 * Sends somebody without an account a new link with a new code; the old ones end. Who said that they are somebody else
 * can sign again. NOT_POSSIBLE unless they are invited and have not signed.
 */
export async function renewLink(signing: SigningRow, signer: Signer): Promise<void> {
  const isOpen = signer.state === 'waiting' || signer.state === 'disowned';
  if (signer.contactId !== null || !isOpen || signer.invitedAt === null || signing.state !== 'sent')
    throw new PortalError('NOT_POSSIBLE');
  await revokeLinks([signer.signerId]);
  await db()
    .updateTable('signers')
    .set({ state: 'waiting', code_tries: 0, code_paused_until: null })
    .where('signer_id', '=', signer.signerId)
    .execute();
  await newAccessCode(signer);
  await invite(signing, signer, 'link-renewed');
}

async function newAccessCode({ signerId }: Signer): Promise<void> {
  const code = String(randomInt(10 ** CODE_DIGITS)).padStart(CODE_DIGITS, '0');
  await db()
    .updateTable('signers')
    .set({ access_code: encryptFor('signers.access_code', signerId, code) })
    .where('signer_id', '=', signerId)
    .execute();
}
