import type { Session } from '#features/base/people/people.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import type { PathTo } from '#platform/http/addresses.server.ts';
import { replaceMailAddress } from './mail-addresses.server.ts';

interface Page {
  request: Request;
  locals: {
    session: Session;
    pathTo: PathTo;
    client: Promise<{ id: string } | undefined>;
  };
}

/** The button that gives the active client a new address, on a page of its archives. */
export async function useMailAddress(page: Page, action: string): Promise<Response | undefined> {
  const { session, pathTo } = page.locals;
  return useActions(page, {
    'mail-address': async (value) => {
      const client = await page.locals.client;
      if (client) await replaceMailAddress(session.actor, client.id);
      const key = value === 'replace' ? 'mailRenewed' : 'mailCreated';
      return {
        to: pathTo(`actions/box-e/${action}`),
        flash: { type: 'success', namespace: 'fiscal-intake', key },
      };
    },
  });
}
