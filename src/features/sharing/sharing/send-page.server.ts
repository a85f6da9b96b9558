import { containerNames } from '#features/documents/folders/names.server.ts';
import { documentNames } from '#features/documents/documents/names.server.ts';
import { documentsByIds } from '#features/documents/documents/documents.server.ts';
import { documentsUnder } from '#features/documents/documents/descendants.server.ts';
import { confirmPath } from '#platform/http/addresses.server.ts';
import { notFound } from '#platform/runtime/errors.server.ts';
import { formOf } from '#platform/forms/form.server.ts';
import { useForm, type DraftStore, type Page as FormPage } from '#platform/forms/forms.server.ts';
import { readEmailAddresses } from '#platform/inputs/email-addresses.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { shareForm } from './forms.server.ts';
import { MAX_FILES, recipientNames, type ExpirationPeriod, type ShareForm } from './rules.ts';
import { shareDocuments } from './sending.server.ts';
import { shareFormOptions } from './share-form.server.ts';
import type { ShareRequest } from './sharing.ts';

interface Page extends FormPage {
  url: URL;
  locals: Pick<App.Locals, 'lang' | 'pathTo' | 'session' | 'timeZone' | 'firm' | 'client'>;
}

/**
 * The form that shares the documents and folders that the address or the form names. `draftFor` keeps a draft for
 * these only: addresses entered for others must not be restored with them.
 */
export async function sendPage(page: Page, draftFor: (items: string) => DraftStore | undefined) {
  const { lang, pathTo, session } = page.locals;
  const { actor } = session;
  const items = await chosenItems(page);
  const { documents, folders, named, areGone } = items;
  const { values, choices, vars } = await shareFormOptions(page.locals);
  const form = await useForm(page, shareForm, {
    values: { ...values },
    choices,
    vars,
    draft: draftFor([...new Set(named)].toSorted().join(' ')),
    links: { STEP_UP: confirmPath(lang, pathTo('documents'), 'downloads') },
    submit: async (value) => {
      if (areGone) throw notFound();
      const request = shareRequest(value, items, actor.emailAddress);
      const { recipients } = await shareDocuments(actor, request, lang, session);
      const names = recipientNames(
        recipients.map(({ emailAddress }) => emailAddress),
        translationsFor(lang, 'sharing'),
      );
      return {
        to: pathTo('documents'),
        flash: { type: 'success', namespace: 'sharing', key: 'sendDocsSuccessMsg', vars: { names } },
      };
    },
  });
  return form instanceof Response ? form : { form, documents, folders };
}

const MAX_NAMED = 200;

/** NOT_FOUND where the address names a folder that is not there; a document that is gone is left out of a form. */
async function chosenItems({ request, url, locals: { session } }: Page) {
  const { actor } = session;
  const posted = request.method === 'POST' ? await formOf(request) : undefined;
  const namesOf = (name: string): string[] =>
    [...new Set((posted ?? url.searchParams).getAll(name).map(String))].slice(0, MAX_NAMED);
  const ids = namesOf('id');
  // Somebody may move a document to the trash meanwhile: the input is kept, without that document.
  const left = posted ? [...(await documentNames(actor, ids)).keys()] : ids;
  const documents = await documentsByIds(
    actor,
    ids.filter((id) => left.includes(id)),
  );
  const containers = await containerNames(actor, namesOf('folder'));
  const folders = await Promise.all(
    [...containers]
      .filter(([, { containerType }]) => containerType !== 'Client')
      .map(([id, { containerType }]) => documentsUnder(actor, containerType, id, MAX_FILES + 1)),
  );
  const areFoldersGone = folders.length < namesOf('folder').length;
  if (!posted && areFoldersGone) throw notFound();
  return {
    documents,
    folders,
    named: ['id', 'folder'].flatMap((name) => [...namesOf(name), ...url.searchParams.getAll(name)]),
    areGone: documents.length < ids.length || areFoldersGone,
  };
}

function shareRequest(
  value: ShareForm,
  { documents, folders }: Awaited<ReturnType<typeof chosenItems>>,
  ownAddress: string,
): ShareRequest {
  return {
    expirationPeriod: value.expirationPeriod as ExpirationPeriod,
    overrides: { subject: value.subject.trim(), body: value.message },
    recipients: [
      ...readEmailAddresses(value.to).named,
      ...(value.sendMeACopy ? [{ emailAddress: ownAddress }] : []),
    ],
    sharedItems: [
      ...documents.map((document) => ({
        containerType: document.parent.containerType,
        containerId: document.parent.id,
        documentId: document.id,
      })),
      ...folders.map(({ id, containerType }) => ({ containerType, containerId: id })),
    ],
    ...(value.requireCode && { authorizationCode: value.code }),
  };
}
