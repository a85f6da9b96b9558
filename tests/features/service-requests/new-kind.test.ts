import { expect, test, vi } from 'vitest';
import { setFlag } from '#features/base/access/access.server.ts';
import { actorOf } from '#features/base/people/people.server.ts';
import { readGrid } from '#features/base/grids/reading.server.ts';
import { findAction, offeredActionsOf } from '#features/base/actions/actions.ts';
import type * as Kinds from '#features/brazil/service-request-forms/kinds.ts';
import type { RequestType } from '#features/brazil/service-request-forms/forms.ts';
import { queueGrid, TYPE_OPTIONS } from '#features/brazil/service-request-desk/queue-grid.server.ts';
import { performAction } from '#features/brazil/service-requests/acting.server.ts';
import { beginRequest } from '#features/brazil/service-requests/beginning.server.ts';
import {
  countsByCategory,
  listRequests,
  requestFor,
} from '#features/brazil/service-requests/listing.server.ts';
import { exportRequest } from '#features/brazil/service-requests/request-export.server.ts';
import { saveSection } from '#features/brazil/service-requests/saving.server.ts';
import {
  CATEGORIES,
  requestQuery,
  typeOfAction,
} from '#features/brazil/service-requests/service-requests.ts';
import { changeSettings, settingsOf } from '#features/brazil/service-requests/settings.server.ts';
import { LANGS } from '#platform/text/languages.ts';
import { translate } from '#platform/text/texts.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { NO_QUERY } from '../../support/grid-query.ts';
import { makeCast, person, standAt } from '../../support/cast.ts';

/* A kind of requests is its form and its entry among the kinds: nothing else names it. */

const PLANTED = 'uniformRequest' as RequestType;

vi.mock('#features/brazil/service-request-forms/kinds.ts', async (original) => {
  const { KINDS, ...others } = await original<typeof Kinds>();
  const { formOf, more, must, t } = await import('#features/brazil/service-request-forms/build.ts');
  const { paragraph, section } = await import('#features/tasks/starter-questionnaires/build.ts');
  const text = t('Uniformes', 'Uniforms', 'Uniformes', 'Uniformes');
  const what = section('request', text, [
    paragraph('text', t('O que falta?', 'What is missing?', '¿Qué falta?', 'Que manque-t-il?'), {
      ...must,
      max: 500,
      tag: 'uniform:what',
    }),
  ]);
  const planted: Kinds.RequestKind = {
    form: formOf('uniform-request', text, [what, more()]),
    action: 'uniform-request',
    category: 'uniform',
    names: {
      action: t('Pedir uniformes', 'Ask for uniforms', 'Pedir uniformes', 'Demander des uniformes'),
      kind: t('Pedido de uniformes', 'Uniform request', 'Pedido de uniformes', 'Demande d’uniformes'),
      category: t('Pedidos de uniformes', 'Uniform requests', 'Pedidos de uniformes', 'Demandes d’uniformes'),
    },
  };
  return { ...others, KINDS: { ...KINDS, uniformRequest: planted } };
});

await import('../../../src/app.server.ts');
const { firmOne, ada, sam, clientA } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
await setFlag(olga, 'ServiceRequest.Denied', false);
const contact = await actorOf(ada.contactId);
const staff = await actorOf(sam.contactId);
standAt(Date.UTC(2026, 10, 27, 15));

test('a new kind is offered, listed, filled in, sent, worked on and exported', async () => {
  // list: an action with its name, and a category
  expect(findAction(contact.access, 'service-request', 'uniform-request')).toMatchObject({
    isOpen: true,
    leadsTo: 'request',
  });
  expect(typeOfAction('uniform-request')).toBe(PLANTED);
  expect(offeredActionsOf(contact.access).flatMap(({ actions }) => actions)).toContainEqual({
    action: 'uniform-request',
    label: PLANTED,
  });
  expect(CATEGORIES).toContain('uniform');
  for (const lang of LANGS) {
    expect(translationsFor(lang, 'portal')('vacationNotice')).not.toBe('vacationNotice');
    expect(translate(lang, { namespace: 'portal', key: PLANTED })).not.toBe(PLANTED);
    expect(translate(lang, { namespace: 'service-requests', key: 'category_uniform' })).toMatch(/niform/);
  }

  // form
  const id = await beginRequest(contact, { clientId: clientA, type: PLANTED });
  const form = new FormData();
  form.append('request.text', 'Dois aventais.');
  await saveSection(contact, id, { section: 'request', form, lang: 'pt' });

  // submit
  await performAction(contact, id, 'submit');
  const query = requestQuery.parse({ category: 'uniform' });
  expect((await listRequests(contact, query)).items).toMatchObject([{ id, type: PLANTED }]);
  expect(await countsByCategory(contact, {})).toMatchObject({ uniform: 1, generic: 0 });

  // desk: a choice of the filter, the row, and the settings
  const option = TYPE_OPTIONS.find(([type]) => type === PLANTED);
  expect(option && translate('pt', option[1])).toBe('Pedido de uniformes');
  const { rows } = await readGrid(queueGrid, staff, NO_QUERY);
  expect(rows).toContainEqual(expect.objectContaining({ requestId: id, type: PLANTED }));
  await changeSettings(olga, PLANTED, { isOpen: true, lapseDays: 7, questions: { 'more.notes': 'hidden' } });
  expect((await settingsOf(firmOne, PLANTED)).lapseDays).toBe(7);
  await performAction(staff, id, 'open');
  await performAction(staff, id, 'reply', { text: 'Enviados.' });
  expect(await requestFor(contact, id)).toMatchObject({ status: 'Replied', outcome: 'done' });

  // export, with the fields of its questions
  const exported = JSON.stringify(await exportRequest(staff, id, 'pt'));
  expect(exported).toContain('Dois aventais.');
  expect(exported).toContain('uniform');
});
