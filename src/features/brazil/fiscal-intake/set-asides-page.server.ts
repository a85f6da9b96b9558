import { findClients } from '#features/clients/clients/client-search.server.ts';
import { readFiscalXml } from '#features/documents/fiscal-xml/read.server.ts';
import type { Session } from '#features/base/people/people.ts';
import { isStorageOpen, orderStorage } from '#features/brazil/fiscal-documents/ordered.server.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import type { PathTo } from '#platform/http/addresses.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import {
  assignSetAside,
  discardSetAside,
  listSetAsides,
  setAsideBytes,
  setAsideFor,
} from './set-asides.server.ts';

interface Page {
  url: URL;
  request: Request;
  locals: { lang: Lang; session: Session; pathTo: PathTo };
}

/** What waits for the firm, and whether it stores fiscal documents at all. */
export async function setAsidesPage(page: Page) {
  const { session, pathTo } = page.locals;
  const { actor } = session;
  const pressed = await useActions(page, {
    order: async (value) => {
      await orderStorage(actor, value === 'on');
      const key = value === 'on' ? 'ordered' : 'ended';
      return {
        to: pathTo('staff/fiscal-documents'),
        flash: { type: 'success', namespace: 'fiscal-intake', key },
      };
    },
  });
  if (pressed) return pressed;
  return {
    isOrdered: await isStorageOpen(actor),
    mayOrder: actor.access.permissions.has('ManageFirm'),
    waiting: (await listSetAsides(actor)).map((row) => ({
      id: row.set_aside_id,
      name: row.name,
      sentence: row.sentence,
      client: row.client_name,
      at: row.created_at,
      href: pathTo(`staff/fiscal-documents/${row.set_aside_id}`),
    })),
  };
}

const FOUND = 10;

/** One file that was set aside: what it is, whose it may be, and the buttons that decide. */
export async function setAsidePage(page: Page, setAsideId: string) {
  const { session, pathTo } = page.locals;
  const { actor } = session;
  const list = pathTo('staff/fiscal-documents');
  const row = await setAsideFor(actor, setAsideId);
  const pressed = await useActions(
    page,
    {
      into: async (clientId) => {
        await assignSetAside(actor, setAsideId, clientId);
        return { to: list, flash: { type: 'success', namespace: 'fiscal-intake', key: 'assigned' } };
      },
      discard: async () => {
        await discardSetAside(actor, setAsideId);
        return { to: list, flash: { type: 'success', namespace: 'fiscal-intake', key: 'discarded' } };
      },
    },
    ({ code }) =>
      code === 'GONE'
        ? { to: list, flash: { type: 'info', namespace: 'fiscal-intake', key: 'decidedAlready' } }
        : undefined,
  );
  if (pressed) return pressed;
  if (row.resolved_at !== null) throw new PortalError('GONE');
  const search = (page.url.searchParams.get('q') ?? '').slice(0, 200);
  const file = readFiscalXml(await setAsideBytes(actor, setAsideId));
  return {
    row,
    search,
    found: search.trim() === '' ? undefined : await findClients(actor, search, FOUND),
    file: file.kind === 'fiscal' ? file : undefined,
  };
}
