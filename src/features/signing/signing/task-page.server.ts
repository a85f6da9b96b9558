import type { Session } from '#features/base/people/people.ts';
import { taskRow } from '#features/tasks/tasks/scope.server.ts';
import type { PathTo } from '#platform/http/addresses.server.ts';
import { notFound } from '#platform/runtime/errors.server.ts';
import { redirectTo } from '#platform/http/redirect.server.ts';
import { ceremonyPage, originOf, type Ceremony, type CeremonyPage } from './ceremony-page.server.ts';
import { signersOf, signingOfTask } from './internal/rows.server.ts';
import { onlookerView, type OnlookerView } from './staff-view.server.ts';

interface Page extends CeremonyPage {
  locals: CeremonyPage['locals'] & { pathTo: PathTo; session: Session };
}

/**
 * The page of a task that asks for signatures: the ceremony for its signers, the state for other contacts of the
 * client. Undefined for any other task. NOT_FOUND.
 */
export async function signingTaskPage(
  page: Page,
  clientId: string,
  taskId: string,
): Promise<Response | { ceremony: Ceremony } | { onlooker: OnlookerView } | undefined> {
  const { session, pathTo } = page.locals;
  const { actor } = session;
  const signing = await signingOfTask(taskId);
  if (!signing) return undefined;
  const row = await taskRow(actor, taskId);
  if (row.client_id !== clientId) throw notFound();
  if (actor.staff) return redirectTo(pathTo(`staff/tasks/${taskId}`));
  const address = `tasks/clients/${clientId}/task/${taskId}`;
  const pinned = page.url.searchParams.get('client');
  if (pinned !== null && pinned !== clientId) return redirectTo(pathTo(address, { client: clientId }));
  const signers = await signersOf(signing.signing_id);
  const signer = signers.find(({ contactId }) => contactId === actor.contactId);
  if (!signer) return { onlooker: await onlookerView(page, { signing, signers }) };
  const ceremony = await ceremonyPage(
    page,
    { signing, signer, signers },
    { via: 'account', actor, signerId: signer.signerId, taskId, origin: originOf(page) },
    {
      pathTo: (query) => pathTo(address, query),
      filesUrl: `/api/client-center/v3/signing/${signing.signing_id}`,
      securityUrl: pathTo('profile/security'),
    },
  );
  return ceremony instanceof Response ? ceremony : { ceremony };
}
