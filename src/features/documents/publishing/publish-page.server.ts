import { MAX_AT_ONCE } from '#features/clients/clients/archiving.server.ts';
import { selectedInAddress } from '#features/clients/clients/firm-clients-page.server.ts';
import { findClients } from '#features/clients/clients/client-search.server.ts';
import { clientOf, clientsByIds } from '#features/clients/clients/clients.server.ts';
import { listContainers } from '#features/documents/folders/tree.server.ts';
import { PRODUCT_TYPES, type NewProject } from '#features/documents/folders/folders.ts';
import { pathsOf } from '#features/documents/folder-templates/folder-templates.ts';
import { listTemplates } from '#features/documents/folder-templates/templates.server.ts';
import { clientIdsOf } from '#features/base/people/people.server.ts';
import { targetOf } from '#features/documents/uploads/upload-target.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { answerTo, useForm, type Page as FormPage } from '#platform/forms/forms.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { createBatch, createClientBatch, listBatches } from './batches.server.ts';
import { batchForm, chosenForm, oneForm } from './forms.server.ts';
import type { Place } from './places.server.ts';
import { createBatchFor } from './to-chosen.server.ts';

interface Page extends FormPage {
  url: URL;
  locals: Pick<App.Locals, 'lang' | 'pathTo' | 'session'>;
}

/** The page from which staff publish: to one client, named by `to` or searched by `q`, or in a batch to many. */
export async function publishPage(page: Page) {
  const { pathTo, session } = page.locals;
  const { actor } = session;
  const query = page.url.searchParams;
  const form = await useForm(page, batchForm, {
    values: { year: String(new Date(now()).getUTCFullYear()), notify: true },
    submit: async ({ year, ...input }) => ({
      to: pathTo(`staff/publish/${await createBatch(actor, { ...input, year: Number(year) })}`),
    }),
  });
  if (form instanceof Response) return form;
  const chosen = await chosenClients(page);
  if (chosen instanceof Response) return chosen;
  const to = query.get('to');
  const one = to === null ? undefined : await oneClient(page, to);
  if (one instanceof Response) return one;
  const search = query.get('q')?.slice(0, 200) ?? '';
  return {
    form,
    search,
    found: search === '' ? undefined : await findClients(actor, search),
    one,
    chosen,
    batches: await listBatches(actor),
    hasClients: (await clientIdsOf(actor).limit(1).executeTakeFirst()) !== undefined,
    mayManageClients: actor.access.permissions.has('ManageClients'),
  };
}

/** The form for the clients that were selected in their list, which the address names; undefined without any. */
async function chosenClients(page: Page) {
  const { lang, pathTo, session } = page.locals;
  const { actor } = session;
  const ids = await selectedInAddress(actor, page.url);
  if (ids.length === 0) return undefined;
  if (ids.length > MAX_AT_ONCE)
    return answerTo({
      to: pathTo('staff/clients'),
      flash: { type: 'danger', namespace: 'records', key: 'tooManyClients', vars: { most: MAX_AT_ONCE } },
    });
  const form = await useForm(page, chosenForm, {
    values: { year: String(new Date(now()).getUTCFullYear()), notify: true },
    submit: async ({ year, ...input }) => ({
      to: pathTo(`staff/publish/${await createBatchFor(actor, ids, { ...input, year: Number(year) })}`),
    }),
  });
  if (form instanceof Response) return form;
  const names = [...(await clientsByIds(actor, ids)).values()]
    .map(({ displayAs }) => displayAs)
    .toSorted((a, b) => a.localeCompare(b, lang));
  return { form, names };
}

/** The form for one client: its folders, and those of the templates for its kind. */
async function oneClient(page: Page, clientId: string) {
  const { lang, pathTo, session } = page.locals;
  const { actor } = session;
  const { displayAs, kind } = await clientOf(actor, clientId);
  const { places = [] } = await targetOf(
    actor,
    lang,
    clientId,
    await listContainers(actor, clientId),
    undefined,
  );
  const t = translationsFor(lang, 'publishing');
  const tree = translationsFor(lang, 'tree');
  const thisYear = new Date(now()).getUTCFullYear();
  const templates = (await listTemplates(actor)).filter(
    ({ clientKind }) => clientKind === 'any' || clientKind === kind,
  );
  const templateFolders = templates.flatMap(({ id, name, folders }) => {
    const paths = pathsOf(folders, thisYear);
    return 'line' in paths
      ? []
      : paths.map((path, index) => ({ value: `${id}:${index}`, text: `${name}: ${path.join(' / ')}` }));
  });
  const form = await useForm(page, oneForm, {
    values: {
      place: places.find(({ isChosen }) => isChosen)?.value ?? 'firm',
      year: String(thisYear),
      notify: true,
    },
    choices: {
      place: [
        ...places.map(({ value, name }) => ({ value, text: name })),
        { value: 'new', text: t('placeNew') },
        ...(templateFolders.length > 0 ? [{ value: 'template', text: t('placeTemplate') }] : []),
      ],
      productType: [
        { value: '', text: tree('productNone') },
        ...PRODUCT_TYPES.map((value) => ({ value, text: tree(`product_${value}`) })),
      ],
      templateFolder: [{ value: '', text: t('templateNone') }, ...templateFolders],
    },
    submit: async ({ notify, message, ...chosen }) => ({
      to: pathTo(
        `staff/publish/${await createClientBatch(actor, { clientId, place: placeOf(chosen), notify, message })}`,
      ),
    }),
  });
  return form instanceof Response ? form : { form, name: displayAs };
}

interface Chosen {
  place: string;
  folderName: string;
  productType: '' | NonNullable<NewProject['productType']>;
  templateFolder: string;
  year: string;
}

function placeOf({ place, folderName, productType, templateFolder, year }: Chosen): Place {
  if (place === 'firm') return { kind: 'firm' };
  if (place === 'new')
    return {
      kind: 'new',
      name: folderName,
      year: Number(year),
      ...(productType !== '' && { productType }),
    };
  if (place !== 'template') return { kind: 'existing', containerId: place };
  const [templateId = '', index] = templateFolder.split(':');
  return { kind: 'template', templateId, index: Number(index), year: Number(year) };
}
