import { actorOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { dayOf } from '#platform/text/time-zones.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import { listInvoices } from './documents.server.ts';
import { acceptIntent, markInvoice } from './intents.server.ts';
import { documentQuery, type Invoice } from './invoice-manifest.ts';
import { recordEvent } from './registering.server.ts';

/*
 * What the bakery of the demo says about invoices that others issued to it: one waits for the firm, one is registered, one
 * has little time left, and its issuer has cancelled another one.
 */

const BUTTER = 9034;
const OVEN = 17;

export const story: Contributions['story'] = {
  anasBakery: (scene, { yesterday, later }) => later(yesterday, () => markInvoices(scene)),
};

/** Marks two invoices as the contact does; the firm accepts one of them and records the protocol. */
async function markInvoices({
  ana: { contactId },
  firm,
  clientId,
}: {
  ana: Actor;
  firm: Actor;
  clientId: string;
}): Promise<void> {
  const [ana, staff] = [await actorOf(contactId), await actorOf(firm.contactId)]; // with what was turned on meanwhile
  const { items } = await listInvoices(staff, documentQuery.parse({ clientId }));
  const mark = async (number: number): Promise<Invoice | undefined> => {
    const invoice = items.find((each) => each.number === number);
    if (invoice) await markInvoice(ana, { id: invoice.id, event: 'confirmed', justification: '' });
    return invoice;
  };
  await mark(BUTTER);
  const oven = await mark(OVEN);
  if (!oven) return;
  const [marked] = (await listInvoices(staff, documentQuery.parse({ clientId, key: oven.key }))).items;
  await acceptIntent(staff, marked?.intentId ?? '');
  const today = dayOf(now(), 'America/Sao_Paulo');
  await recordEvent(staff, {
    id: oven.id,
    event: 'confirmed',
    protocol: '891260000417203',
    registeredOn: today,
  });
}
