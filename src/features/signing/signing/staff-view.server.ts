import { firmOf } from '#features/base/firms/firms.server.ts';
import { actorNow, actorOf, assertActsFor } from '#features/base/people/people.server.ts';
import type { Actor, Session } from '#features/base/people/people.ts';
import { assertManagesTasks, managesTasks } from '#features/tasks/tasks/creating.server.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import type { PathTo } from '#platform/http/addresses.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { inTransaction } from '#platform/database/database.server.ts';
import { notFound } from '#platform/runtime/errors.server.ts';
import { formatMoment } from '#platform/text/formats.ts';
import type { Lang } from '#platform/text/languages.ts';
import { signerLines, type SignerLine } from './ceremony-page.server.ts';
import { shownEvents } from './certificate.server.ts';
import { evidenceOf } from './evidence.server.ts';
import { signersOf, signingOfTask, type Signer, type SigningRow } from './internal/rows.server.ts';
import { originalView, type OriginalView } from './viewing.server.ts';
import { sealAgain } from './sealing.server.ts';
import { renewLink } from './sending.server.ts';
import { groupedCode } from './rules.ts';
import type { SigningState } from './signing.ts';

interface Page {
  request: Request;
  locals: { lang: Lang; locale: string; timeZone: string; session: Session; pathTo: PathTo };
}

/** What contacts see who do not sign. */
export interface OnlookerView {
  title: string;
  sender: string;
  firm: string;
  state: SigningState;
  signers: SignerLine[];
  copyUrl: string;
  original: OriginalView | undefined;
}

export async function onlookerView(
  page: { locals: Pick<Page['locals'], 'lang' | 'locale' | 'timeZone'> },
  { signing, signers }: { signing: SigningRow; signers: Signer[] },
): Promise<OnlookerView> {
  return {
    title: signing.title,
    sender: (await actorOf(signing.sender)).fullName,
    firm: (await firmOf(signing.company_id)).name,
    state: signing.state,
    signers: signerLines({ signers }, page.locals),
    copyUrl: `${filesUrlOf(signing)}/document`,
    original: originalView(signing, { ...page.locals, filesUrl: filesUrlOf(signing) }),
  };
}

const filesUrlOf = ({ signing_id: id }: SigningRow): string => `/api/client-center/v3/signing/${id}`;

/** Sends a signer of a request a new link with a new access code. FORBIDDEN, NOT_FOUND, NOT_POSSIBLE. */
export async function renewLinkOf(actor: Actor, taskId: string, signerId: string): Promise<void> {
  await inTransaction(async () => {
    const current = await actorNow(actor);
    assertManagesTasks(current);
    const signing = await signingOfTask(taskId);
    if (!signing) throw notFound();
    await assertActsFor(current, signing.client_id);
    const signer = (await signersOf(signing.signing_id)).find((each) => each.signerId === signerId);
    if (!signer) throw notFound();
    await renewLink(signing, signer);
    await audit({
      companyId: signing.company_id,
      actor: current.contactId,
      action: 'signing.renew',
      target: taskId,
      clientId: signing.client_id,
    });
  });
}

/**
 * What the firm sees of a request on the page of its task: the signers, the access codes to tell them, and what
 * happened. Undefined for a task without one. The page has checked that the actor may see the task.
 */
export async function signingForStaff(page: Page, taskId: string) {
  const { lang, locale, timeZone, session, pathTo } = page.locals;
  const { actor } = session;
  const signing = await signingOfTask(taskId);
  if (!signing) return undefined;
  await assertActsFor(actor, signing.client_id);
  const here = pathTo(`staff/tasks/${taskId}`);
  const flash = (type: 'success' | 'danger', key: 'renewed' | 'sealingAgain' | 'notRenewed') => ({
    to: here,
    flash: { type, namespace: 'signing' as const, key },
  });
  const done = await useActions(
    page,
    {
      renew: async (signerId) => {
        await renewLinkOf(actor, taskId, signerId);
        return flash('success', 'renewed');
      },
      'action=seal-again': async () => {
        await sealAgain(actor, taskId);
        return flash('success', 'sealingAgain');
      },
    },
    ({ code }) => (code === 'NOT_POSSIBLE' ? flash('danger', 'notRenewed') : undefined),
  );
  if (done) return done;
  const signers = await signersOf(signing.signing_id);
  const evidence = await evidenceOf(signing.signing_id);
  const mayChange = managesTasks(actor);
  const open = signing.state === 'sent' && mayChange;
  return {
    state: signing.state,
    signers: signerLines({ signers }, { lang, locale, timeZone }),
    declined: signers.find(({ state }) => state === 'declined'),
    codes: signers
      .filter(({ state, accessCode }) => open && state === 'waiting' && accessCode !== '')
      .map(({ name, accessCode }) => ({ name, code: groupedCode(accessCode) })),
    mailsCodes: signing.identity === 'mail-code',
    renewable: signers
      .filter(
        ({ contactId, invitedAt, state }) =>
          open && contactId === null && invitedAt !== null && (state === 'waiting' || state === 'disowned'),
      )
      .map(({ signerId, name }) => ({ signerId, name })),
    maySealAgain: signing.state === 'failed' && mayChange,
    sealDiffers: evidence.findLast(({ kind }) => kind === 'seal-failed')?.data['cause'] === 'differs',
    events: shownEvents(lang, evidence, signers).map(({ at, ...event }) => ({
      ...event,
      when: formatMoment(locale, at, timeZone),
    })),
    sealed: signing.sealed_sha256,
    documentUrl:
      signing.sealed_document === null
        ? undefined
        : pathTo(`documents/${signing.sealed_document}`, { client: signing.client_id }),
    copyUrl: `${filesUrlOf(signing)}/document`,
    original: originalView(signing, { lang, locale, timeZone, filesUrl: filesUrlOf(signing) }),
  };
}

export type StaffView = NonNullable<Exclude<Awaited<ReturnType<typeof signingForStaff>>, Response>>;
