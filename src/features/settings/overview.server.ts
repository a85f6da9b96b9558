import { listReviews, mayReview, planOf } from '#features/access-review/access-review.server.ts';
import { isAtWork } from '#features/data-exports/data-exports.ts';
import { listDataExports } from '#features/data-exports/data-exports.server.ts';
import { firmOf, secondStepOf } from '#features/firms/firms.server.ts';
import { staffOf } from '#features/people/staff.server.ts';
import { paymentSettingsOf, waysOf } from '#features/payments/settings.server.ts';
import { mayRetain, retentionOf } from '#features/retention/retention.server.ts';
import { listSealKeys } from '#features/seals/keys.server.ts';
import { domainsOf } from '#features/sharing/domains.server.ts';
import { bounceMailboxProblem } from '#platform/bounce-mailbox.server.ts';
import { now } from '#platform/clock.server.ts';
import { db } from '#platform/database.server.ts';
import { formatDate, formatNumber } from '#platform/formats.ts';
import { translationsFor } from '#platform/translations.server.ts';

type Locals = Pick<App.Locals, 'lang' | 'locale' | 'timeZone' | 'session'>;

/** One area of the settings: its page, what it is for, and its present state. */
interface Area {
  page: string;
  title: string;
  text: string;
  state?: string;
}

/** The areas of the settings that the actor may open, each with its state. */
export async function settingsAreas(locals: Locals): Promise<Area[]> {
  const { lang, session } = locals;
  const { actor } = session;
  const { permissions } = actor.access;
  const t = translationsFor(lang, 'settings');
  const [terms, access, imports, templates, mails, firstDay] = [
    translationsFor(lang, 'session'),
    translationsFor(lang, 'access'),
    translationsFor(lang, 'imports'),
    translationsFor(lang, 'templates'),
    translationsFor(lang, 'mails'),
    translationsFor(lang, 'first-day'),
  ];
  const managesFirm = permissions.has('ManageFirm');
  const areas: Area[] = [];
  if (managesFirm) {
    areas.push({ page: 'staff/start', title: firstDay('title'), text: firstDay('text') });
    areas.push(...(await firmAreas(locals)));
  }
  areas.push({ page: 'staff/people', title: t('team'), text: t('teamText'), state: await teamState(locals) });
  if (managesFirm) areas.push(...(await accessAreas(locals)));
  if (permissions.has('ManageContacts'))
    areas.push({ page: 'staff/rescue', title: access('helpTitle'), text: t('accessCodeText') });
  if (managesFirm)
    areas.push({
      page: 'staff/terms',
      title: terms('termsTitle'),
      text: terms('staffTermsIntro'),
      state: await termsState(locals),
    });
  if (permissions.has('Publish'))
    areas.push({
      page: 'staff/templates',
      title: templates('title'),
      text: t('templatesText'),
      state: await templatesState(locals),
    });
  areas.push({
    page: 'staff/mails',
    title: mails('title'),
    text: t('mailsText'),
    state: await mailState(locals),
  });
  if (permissions.has('ManageClients') && actor.hasAllClients)
    areas.push({ page: 'staff/imports', title: imports('title'), text: imports('intro') });
  if (managesFirm) areas.push(...(await dataAreas(locals)));
  return areas;
}

async function firmAreas({ lang, locale, timeZone, session: { actor } }: Locals): Promise<Area[]> {
  const [t, firms, shell, seals] = [
    translationsFor(lang, 'settings'),
    translationsFor(lang, 'firms'),
    translationsFor(lang, 'shell'),
    translationsFor(lang, 'seals'),
  ];
  const payments = translationsFor(lang, 'payments');
  const ways = waysOf(await paymentSettingsOf(actor.companyId));
  const [key] = await listSealKeys(actor);
  const { contactPerson: name, theme } = await firmOf(actor.companyId);
  return [
    {
      page: 'staff/firm',
      title: firms('title'),
      text: firms('intro'),
      state: name === '' ? t('noContactPerson') : t('contactPerson', { name }),
    },
    {
      page: 'staff/theme',
      title: shell('themeTitle'),
      text: shell('themeIntro'),
      state: theme.logoUrl === null ? t('noLogo') : t('ownLogo'),
    },
    {
      page: 'staff/payments',
      title: payments('settingsTitle'),
      text: t('paymentsText'),
      state: ways.length === 0 ? t('paymentsNone') : ways.map((way) => payments(`way_${way}`)).join(', '),
    },
    {
      page: 'staff/seal',
      title: seals('title'),
      text: seals('intro'),
      state: key
        ? seals(key.origin === 'portal' ? 'madeUntil' : 'loadedUntil', {
            name: key.name,
            date: formatDate(locale, key.validTo, timeZone),
          })
        : seals('noneShort'),
    },
  ];
}

async function accessAreas({ lang, locale, timeZone, session: { actor } }: Locals): Promise<Area[]> {
  const [t, portal, review, sharing] = [
    translationsFor(lang, 'settings'),
    translationsFor(lang, 'portal'),
    translationsFor(lang, 'access-review'),
    translationsFor(lang, 'sharing'),
  ];
  const { name } = await firmOf(actor.companyId);
  const { who } = await secondStepOf(actor.companyId);
  const { length: count } = await domainsOf(actor.companyId);
  const step = { nobody: 'stepNobody', staff: 'stepStaff', everybody: 'stepEverybody' } as const;
  const areas: Area[] = [
    {
      page: 'staff/access',
      title: portal('accessTitle'),
      text: portal('accessIntro', { firm: name }),
      state: t(step[who]),
    },
  ];
  if (mayReview(actor)) {
    const open = (await listReviews(actor)).find(({ finishedAt }) => finishedAt === undefined);
    const { interval, startsAt } = await planOf(actor);
    const dateOf = (instant: number): string => formatDate(locale, instant, timeZone);
    areas.push({
      page: 'staff/access-review',
      title: review('title'),
      text: review('intro'),
      state: open
        ? review('isOpen', { date: dateOf(open.dueAt), total: open.total, decided: open.decided })
        : interval === '0'
          ? review('noNext')
          : t('nextReview', { date: dateOf(startsAt) }),
    });
  }
  areas.push({
    page: 'staff/sharing',
    title: sharing('domainsTitle'),
    text: sharing('domainsText'),
    state: count === 0 ? t('anyDomain') : t('domains', { count }),
  });
  return areas;
}

async function dataAreas({ lang, locale, timeZone, session: { actor } }: Locals): Promise<Area[]> {
  const [t, retention, exports, staff] = [
    translationsFor(lang, 'settings'),
    translationsFor(lang, 'retention'),
    translationsFor(lang, 'data-exports'),
    translationsFor(lang, 'staff'),
  ];
  const dateOf = (instant: number): string => formatDate(locale, instant, timeZone);
  const areas: Area[] = [];
  if (mayRetain(actor)) {
    const { startsAt } = await retentionOf(actor);
    const applies = startsAt > now() ? 'appliesFrom' : 'appliesSince';
    areas.push({
      page: 'staff/retention',
      title: retention('title'),
      text: t('retentionText'),
      state: startsAt === 0 ? retention('keepsAll') : retention(applies, { date: dateOf(startsAt) }),
    });
  }
  const [latest] = await listDataExports(actor);
  areas.push({
    page: 'staff/data-exports',
    title: exports('title'),
    text: t('exportsText'),
    state:
      latest === undefined
        ? exports('noEarlier')
        : isAtWork(latest.state)
          ? exports('currentTitle')
          : t('lastExport', { date: dateOf(latest.createdAt) }),
  });
  const head = await db()
    .selectFrom('audit_heads')
    .select('seq')
    .where('company_id', '=', actor.companyId)
    .executeTakeFirst();
  const count = head?.seq ?? 0;
  areas.push({
    page: 'staff/audit',
    title: staff('auditTitle'),
    text: staff('auditText'),
    state: t('entries', { count, number: formatNumber(locale, count) }),
  });
  return areas;
}

async function teamState({ lang, session }: Locals): Promise<string> {
  const { count } = await staffOf(session.actor.companyId)
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('removed_at', 'is', null)
    .executeTakeFirstOrThrow();
  return translationsFor(lang, 'settings')('members', { count: Number(count) });
}

async function termsState({ lang, session }: Locals): Promise<string> {
  const { version } = await db()
    .selectFrom('terms')
    .select((e) => e.fn.max<number | null>('version').as('version'))
    .where('company_id', '=', session.actor.companyId)
    .executeTakeFirstOrThrow();
  const t = translationsFor(lang, 'settings');
  return version === null ? t('noTerms') : t('termsVersion', { version });
}

async function templatesState({ lang, session }: Locals): Promise<string> {
  const { count } = await db()
    .selectFrom('folder_templates')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('company_id', '=', session.actor.companyId)
    .executeTakeFirstOrThrow();
  return translationsFor(lang, 'settings')('templates', { count: Number(count) });
}

async function mailState({ lang, locale, timeZone, session }: Locals): Promise<string> {
  const row = await db()
    .selectFrom('firms')
    .select('mail_tested_at')
    .where('company_id', '=', session.actor.companyId)
    .executeTakeFirst();
  const t = translationsFor(lang, 'settings');
  const managesFirm = session.actor.access.permissions.has('ManageFirm');
  if (managesFirm && (await bounceMailboxProblem()) !== undefined) return t('mailReportsUnread');
  const testedAt = row?.mail_tested_at ?? null;
  return testedAt === null
    ? t('mailNotTested')
    : t('mailTested', { date: formatDate(locale, testedAt, timeZone) });
}
