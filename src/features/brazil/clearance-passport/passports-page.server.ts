import { firmOf } from '#features/base/firms/firms.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { inOrder } from '#features/brazil/clearance-certificates/agencies.ts';
import { agencyName } from '#features/brazil/clearance-certificates/agency-names.server.ts';
import { listFollowed } from '#features/brazil/clearance-certificates/following.server.ts';
import { isValidToday } from '#features/brazil/clearance-certificates/lights.ts';
import { useForm, type Page } from '#platform/forms/forms.server.ts';
import { useList } from '#platform/forms/lists.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { addDays, dayOf } from '#platform/text/time-zones.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import type { Chip } from '#ui/chips.ts';
import type { Column } from '#ui/table/table.ts';
import { DEFAULT_DAYS, type Passport } from './clearance-passport.ts';
import { passportForm, revokeForm } from './forms.server.ts';
import { lastDayText } from './last-day.ts';
import { passportList } from './lists.server.ts';
import {
  isRestricted,
  listPassports,
  loadOpenPassport,
  makePassport,
  makesPassports,
  passportAddress,
  revokePassport,
} from './passports.server.ts';

interface PassportsPage extends Page {
  url: URL;
  locals: Page['locals'] & { session: { actor: Actor } };
}

interface Client {
  id: string;
  isArchived: boolean;
}

const PAGE = 30;

/**
 * The passports of a client, for its contacts and for staff, the form that makes another one, and the question whether one is to
 * be revoked. The address of a new one is shown once, by the answer that makes it. NOT_FOUND for a client of others.
 */
export async function passportsPage(page: PassportsPage, client: Client) {
  const { lang, session } = page.locals;
  const { actor } = session;
  const { query, urlFor, pager } = useList(page, passportList);
  const mayRevoke = makesPassports(actor);
  const mayMake = mayRevoke && !client.isArchived;
  const followed = await listFollowed(actor, client.id);
  const { timeZone } = await firmOf(actor.companyId);
  let made: { address: string; recipient: string } | undefined;
  const making = await useForm(page, passportForm, {
    values: {
      agencyIds: followed.filter(({ light }) => isValidToday(light)).map(({ agencyId }) => agencyId),
      endsOn: addDays(dayOf(now(), timeZone), DEFAULT_DAYS),
    },
    choices: {
      agencyIds: inOrder(followed.map(({ agencyId }) => agencyId)).map((value) => ({
        value,
        text: agencyName(lang, value),
      })),
    },
    submit: async (value) => {
      const { token } = await makePassport(actor, { clientId: client.id, ...value });
      made = { address: passportAddress(lang, token), recipient: value.recipient };
      return undefined; // this page shows the address
    },
  });
  if (making instanceof Response) return making;
  const revoking = mayRevoke
    ? await revokingForm(page, client.id, query.revoke, urlFor({ revoke: '' }))
    : undefined;
  if (revoking instanceof Response) return revoking;
  const { items, totalItems } = await listPassports(actor, {
    clientId: client.id,
    start: query.from,
    limit: PAGE,
  });
  const t = translationsFor(lang, 'clearance-passport');
  /** Why nobody can make one. */
  const whyNot =
    followed.length === 0 ? t('nothingFollowed') : (await isRestricted(actor)) ? t('restricted') : undefined;
  return {
    made,
    making: mayMake && whyNot === undefined ? making : undefined,
    whyNot: mayMake ? whyNot : undefined,
    revoking,
    backUrl: urlFor({ revoke: '' }),
    items,
    columns: passportColumns(lang, timeZone),
    actions: {
      label: t('actions'),
      nameOf: ({ recipient }: Passport) => recipient,
      of: ({ id, state }: Passport) =>
        mayRevoke && state === 'open' ? [{ label: t('revoke'), href: urlFor({ revoke: id }) }] : [],
    },
    pager: pager(totalItems, PAGE),
  };
}

/** Asks whether a passport is to be revoked; undefined without one, and for one that has ended in the meantime. */
async function revokingForm(page: PassportsPage, clientId: string, passportId: string, to: string) {
  if (passportId === '') return undefined;
  const { lang, session } = page.locals;
  try {
    const { recipient } = await loadOpenPassport(session.actor, clientId, passportId);
    const form = await useForm(page, revokeForm, {
      vars: { recipient },
      submit: async () => {
        await revokePassport(session.actor, passportId);
        return {
          to,
          flash: { type: 'success', namespace: 'clearance-passport', key: 'revoked', vars: { recipient } },
        };
      },
    });
    return form instanceof Response
      ? form
      : { form, text: translationsFor(lang, 'clearance-passport')('revokeText', { recipient }) };
  } catch (error) {
    if (refusal(error)?.code === 'GONE') return undefined;
    throw error;
  }
}

const STATE_CHIPS: Readonly<Record<Passport['state'], Chip>> = {
  open: { tone: 'success', icon: 'circle-check' },
  expired: { tone: 'neutral', icon: 'clock' },
  revoked: { tone: 'neutral', icon: 'ban' },
};

function passportColumns(lang: Lang, timeZone: string): Column<Passport>[] {
  const t = translationsFor(lang, 'clearance-passport');
  return [
    {
      key: 'recipient',
      label: t('recipient'),
      text: ({ recipient }) => recipient,
      note: ({ agencyIds }) => agencyIds.map((id) => agencyName(lang, id)).join(' · '),
      isRowHeader: true,
    },
    {
      key: 'state',
      label: t('state'),
      text: ({ state }) => t(`state_${state}`),
      chip: ({ state }) => STATE_CHIPS[state],
      isChip: true,
    },
    {
      key: 'until',
      label: t('until'),
      text: ({ expirationDate }) => lastDayText(lang, Date.parse(expirationDate), timeZone),
      isShort: true,
      isLabelled: true,
      textStyle: 'meta',
    },
    {
      key: 'openings',
      label: t('openings'),
      text: ({ openings }) => String(openings),
      isNumber: true,
      isLabelled: true,
    },
    {
      key: 'lastOpened',
      label: t('lastOpened'),
      at: ({ lastOpenedDate }) => lastOpenedDate ?? undefined,
      isLabelled: true,
      isMinor: true,
      textStyle: 'meta',
    },
    {
      key: 'madeBy',
      label: t('madeBy'),
      text: ({ createdBy }) => createdBy,
      isMinor: true,
      textStyle: 'person',
    },
  ];
}
