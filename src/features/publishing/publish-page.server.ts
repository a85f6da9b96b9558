import { clientQuery } from '#features/clients/clients.ts';
import { listClients } from '#features/clients/clients.server.ts';
import { listContainers } from '#features/folders/tree.server.ts';
import { clientIdsOf } from '#features/people/people.server.ts';
import type { Actor } from '#features/people/people.ts';
import { targetOf } from '#features/uploads/upload-target.server.ts';
import { now } from '#platform/clock.server.ts';
import { notFound } from '#platform/errors.server.ts';
import { useForm, type Page as FormPage } from '#platform/forms.server.ts';
import type { Lang } from '#platform/languages.ts';
import { createBatch, listBatches } from './batches.server.ts';
import { batchForm } from './forms.server.ts';

interface Page extends FormPage {
  url: URL;
  locals: Pick<App.Locals, 'lang' | 'pathTo' | 'session'>;
}

/** The page from which staff publish: to one client, named by `to` or searched by `q`, or in a batch to many. */
export async function publishPage(page: Page) {
  const { lang, pathTo, session } = page.locals;
  const { actor } = session;
  const query = page.url.searchParams;
  const form = await useForm(page, batchForm, {
    values: { year: String(new Date(now()).getUTCFullYear()), notify: true },
    submit: async ({ year, ...input }) => ({
      to: pathTo(`staff/publish/${await createBatch(actor, { ...input, year: Number(year) })}`),
    }),
  });
  if (form instanceof Response) return form;
  const to = query.get('to');
  const search = query.get('q')?.slice(0, 200) ?? '';
  return {
    form,
    search,
    found: search === '' ? undefined : await clientsFound(actor, search),
    chosen:
      to === null
        ? undefined
        : { id: to, name: await nameOf(actor, to), places: await placesOf(actor, lang, to) },
    batches: await listBatches(actor),
  };
}

/** The folders of a client in which staff may publish. */
async function placesOf(actor: Actor, lang: Lang, clientId: string) {
  const { places } = await targetOf(actor, lang, clientId, await listContainers(actor, clientId), undefined);
  return places ?? [];
}

const MAX_FOUND = '20';

/** Finds clients by name and number. */
export async function clientsFound(
  actor: Actor,
  searchTerm: string,
): Promise<{ id: string; name: string }[]> {
  const find = async (searchBy: 'name' | 'code') =>
    (await listClients(actor, clientQuery.parse({ searchTerm, searchBy, pageSize: MAX_FOUND }))).clients;
  const all = [...(await find('name')), ...(await find('code'))];
  return [
    ...new Map(all.map(({ id, displayAs, code }) => [id, { id, name: `${displayAs} (${code})` }])).values(),
  ];
}

async function nameOf(actor: Actor, clientId: string): Promise<string> {
  const row = await clientIdsOf(actor)
    .select('clients.name')
    .where('clients.client_id', '=', clientId)
    .executeTakeFirst();
  if (!row) throw notFound();
  return row.name;
}
