import { findAction } from '#features/base/actions/actions.ts';
import { useGrid } from '#features/base/grids/grid-page.server.ts';
import { isReadOnly, type Session } from '#features/base/people/people.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import type { PathTo } from '#platform/http/addresses.server.ts';
import { LANGUAGES, type Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { branchesWithDocuments } from './branches.server.ts';
import { actionOf, storageOf, type Storage } from './fiscal-documents.ts';
import { FISCAL_GRIDS } from './grids.server.ts';
import { clientsWithDocuments, monthsWithDocuments } from './months.server.ts';
import { clientSwitch, isStorageOpen, switchForClient } from './ordered.server.ts';
import { STORAGE_TEXTS } from './texts.server.ts';

export interface Page {
  url: URL;
  request: Request;
  response: { status?: number };
  locals: {
    lang: Lang;
    session: Session;
    pathTo: PathTo;
    client: Promise<{ id: string; displayAs: string } | undefined>;
  };
}

/** The archive of an address, if it is open to the person and ordered by the firm. */
export async function openStorage(
  { locals: { lang, session } }: Page,
  action: string,
): Promise<{ storage: Storage; title: string; state: 'open' | 'closed' | 'notOrdered' } | undefined> {
  const storage = storageOf(action);
  if (!storage) return undefined;
  const title = translationsFor(lang, 'fiscal-documents')(STORAGE_TEXTS[storage]);
  if (findAction(session.actor.access, 'box-e', action)?.isOpen !== true)
    return { storage, title, state: 'closed' };
  return { storage, title, state: (await isStorageOpen(session.actor)) ? 'open' : 'notOrdered' };
}

/** The documents of an archive for the active client. */
export async function storagePage(page: Page, storage: Storage) {
  const { lang, session, pathTo } = page.locals;
  const { actor } = session;
  const client = await page.locals.client;
  if (!client) return { client };
  const here = pathTo(`actions/box-e/${actionOf(storage)}`);
  const pressed = await useActions(page, {
    switch: async (value) => {
      await switchForClient(actor, client.id, value === 'on');
      const key = value === 'on' ? 'switchedOn' : 'switchedOff';
      return { to: here, flash: { type: 'success', namespace: 'fiscal-documents', key } };
    },
  });
  if (pressed) return pressed;
  const months = await monthsWithDocuments(client.id, storage);
  const branches = await branchesWithDocuments(page.locals, client.id, storage);
  const t = translationsFor(lang, 'fiscal-documents');
  const named = months.map((month) => ({
    value: month,
    text: monthName(LANGUAGES[lang], month),
    href: pathTo(`actions/box-e/${actionOf(storage)}/${month}`),
  }));
  const grid = await useGrid(page, FISCAL_GRIDS[storage], {
    choices: {
      month: [{ value: '', text: t('allMonths') }, ...named],
      establishment: [
        { value: '', text: t('allEstablishments') },
        ...branches.map(({ cnpj, text }) => ({ value: cnpj, text })),
      ],
    },
  });
  if (grid instanceof Response) return grid;
  const { isEnabled } = await clientSwitch(actor, client.id);
  const others = actor.staff || months.length > 0 ? [] : await clientsWithDocuments(actor, storage);
  return {
    client,
    grid,
    branches,
    months: named,
    elsewhere: others.map(({ id, name }) => ({
      text: t('elsewhere', { client: name }),
      href: pathTo(`actions/box-e/${actionOf(storage)}`, { client: id }),
    })),
    isEnabled,
    maySend: isEnabled && !isReadOnly(actor),
    maySwitch: actor.staff && actor.access.permissions.has('ManageFirm'),
  };
}

/** A month by its name, `November 2026`. */
export const monthName = (locale: string, month: string): string =>
  new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(
    new Date(`${month}-15T00:00:00Z`),
  );
