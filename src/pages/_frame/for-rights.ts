import type { Rights } from '#features/documents/documents.ts';
import { giveRole, setFrozen } from '#features/documents/documents.server.ts';
import type { Actor } from '#features/people/people.ts';
import { PortalError } from '#platform/errors.server.ts';
import { flashCookie } from '#platform/flash.server.ts';
import type { KeysOf } from '#platform/words.server.ts';
import { goTo } from './go-to.ts';

const GIVEN = { Owner: 'roleGivenOwner', Contributor: 'roleGivenContributor', usual: 'roleTaken' } as const;

/** Does what a form of the page of rights asks for, and goes back there, which says what happened. */
export async function changeRights(actor: Actor, item: Rights, form: FormData, back: string): Promise<Response> {
  const said = (key: KeysOf<'tree'>, name: string): Response => goTo(back, [flashCookie({ type: 'success', room: 'tree', key, vars: { name } })]);
  const lock = form.get('lock');
  if (lock === 'on' || lock === 'off') {
    await setFrozen(actor, item.id, lock === 'on');
    return said(lock === 'on' ? 'lockDone' : 'lockUndone', item.name);
  }
  const role = String(form.get('role'));
  const person = item.people.find(({ contactId }) => contactId === form.get('contact'));
  if (item.type === 'Document' || !person || (role !== 'Owner' && role !== 'Contributor' && role !== 'usual')) throw new PortalError('INVALID');
  await giveRole(actor, item.id, person.contactId, role === 'usual' ? undefined : role);
  return said(GIVEN[role], person.fullName);
}
