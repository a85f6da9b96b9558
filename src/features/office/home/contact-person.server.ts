import { hasPart } from '#features/base/people/people.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { phoneUrl } from '#features/base/firms/phone-url.ts';
import { responsibleFor } from '#features/base/people/responsible.server.ts';
import type { WidgetContext, WidgetRow, WidgetView } from './widgets.server.ts';

/** Whom to ask: the member of staff responsible for the client, or the firm's contact person. */
export async function contactWidget({
  actor,
  firm,
  client,
  lang,
  pathTo,
}: WidgetContext): Promise<WidgetView> {
  const person = (await responsibleFor(client.id))?.fullName ?? firm.contactPerson;
  const phone: WidgetRow[] =
    firm.phone === '' ? [] : [{ title: firm.phone, href: phoneUrl(firm.phone), icon: 'phone' }];
  const message: WidgetRow[] = hasPart(actor.access, 'messages')
    ? [
        {
          title: translationsFor(lang, 'home')('writeMessage'),
          href: pathTo('messages', { client: client.id }),
          icon: 'message-square',
        },
      ]
    : [];
  return {
    lines: [person, firm.name].filter((line) => line !== ''),
    rows: [...message, ...phone, { title: firm.email, href: `mailto:${firm.email}`, icon: 'mail' }],
  };
}
