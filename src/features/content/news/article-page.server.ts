import { clientsByIds } from '#features/clients/clients/clients.server.ts';
import { findClients } from '#features/clients/clients/client-search.server.ts';
import { tagChoices } from '#features/clients/clients/list-choices.server.ts';
import { firmOf } from '#features/base/firms/firms.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { fold } from '#platform/database/database.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { formatHour } from '#platform/text/formats.ts';
import { useForm, type Page as FormPage } from '#platform/forms/forms.server.ts';
import type { Choice } from '#platform/forms/forms.ts';
import { startOfDay } from '#platform/text/time-zones.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { readersOf, writtenArticle, type WrittenArticle } from './articles.server.ts';
import { publishForm, settingsForm } from './forms.server.ts';
import { AUDIENCES, type Audience } from './news.ts';
import { audienceText, lastDay, tagNames } from './sentences.server.ts';
import { textFor } from './texts.server.ts';
import { languageIn, languageLinks, previewOf, say } from './writing-pages.server.ts';
import {
  chooseClient,
  deleteArticle,
  publishArticle,
  saveSettings,
  withdrawArticle,
} from './writing.server.ts';

interface Page extends FormPage {
  url: URL;
  locals: Pick<App.Locals, 'lang' | 'locale' | 'pathTo' | 'session' | 'timeZone'>;
}

const AUDIENCE_LABELS = {
  all: 'forAll',
  kinds: 'forKinds',
  tags: 'forTagged',
  clients: 'forChosen',
} as const satisfies Record<Audience, string>;

/** An article for those who write it: what its readers see, for whom it is, who has seen it, and what can be done. */
export async function articlePage(page: Page, articleId: string) {
  const { lang, pathTo, session } = page.locals;
  const { actor } = session;
  const here = pathTo(`staff/news/${articleId}`);
  const article = await writtenArticle(actor, articleId);
  const done = await actOn(page, articleId, here);
  if (done) return done;
  const { timeZone } = await firmOf(actor.companyId);
  const settings = await settingsOf(page, article, { here, timeZone });
  if (settings instanceof Response) return settings;
  const publishing = await publishingOf(page, article, { here, timeZone });
  if (publishing instanceof Response) return publishing;
  const shown = textFor(article.texts, languageIn(page.url) ?? lang, article.language);
  const search = page.url.searchParams.get('q') ?? '';
  return {
    article,
    timeZone,
    settings,
    /** Absent once it is published. */
    publishing: ['draft', 'withdrawn'].includes(article.status) ? publishing : undefined,
    preview: shown && previewOf(shown),
    shownLang: shown?.lang ?? article.language,
    languages: languageLinks(
      article.texts,
      (each) => pathTo(`staff/news/${articleId}`, { text: each }),
      shown?.lang ?? article.language,
    ),
    // how many were chosen is said beside it
    audience:
      article.audience === 'clients'
        ? translationsFor(lang, 'news')('forChosen')
        : audienceText(lang, article, await tagNames(actor)),
    ...(await readersOf(actor, article)),
    chosen: article.audience === 'clients' ? await chosenClients(actor, article) : undefined,
    search,
    found: search === '' ? undefined : await findClients(actor, search.slice(0, 200)),
    isAskingToDelete: page.url.searchParams.get('ask') === 'delete',
  };
}

const actOn = (page: Page, articleId: string, here: string): Promise<Response | undefined> => {
  const { pathTo, session } = page.locals;
  const { actor } = session;
  const clients = `${here}#clients`;
  return useActions(
    page,
    {
      'act=withdraw': async () => {
        await withdrawArticle(actor, articleId);
        return { to: here, flash: say('withdrawn') };
      },
      'act=delete': async () => {
        await deleteArticle(actor, articleId);
        return { to: pathTo('staff/news'), flash: say('deleted') };
      },
      add: async (clientId) => {
        await chooseClient(actor, articleId, clientId, true);
        return { to: clients, flash: say('clientAdded') };
      },
      drop: async (clientId) => {
        await chooseClient(actor, articleId, clientId, false);
        return { to: clients, flash: say('clientRemoved') };
      },
    },
    ({ code }) => {
      const key =
        code === 'NOT_POSSIBLE' ? 'changedMeanwhile' : code === 'TOO_MANY' ? 'tooManyClients' : undefined;
      return key && { to: here, flash: say(key, 'danger') };
    },
  );
};

interface Context {
  here: string;
  timeZone: string;
}

async function settingsOf(page: Page, article: WrittenArticle, { here, timeZone }: Context) {
  const { lang, session } = page.locals;
  const { actor } = session;
  const t = translationsFor(lang, 'news');
  const tags = await tagChoices(actor);
  const offered = AUDIENCES.filter((audience) => isOffered(actor, audience, tags));
  const form = await useForm(page, settingsForm, {
    values: {
      version: String(article.version),
      audience: article.audience,
      kinds: article.audience === 'kinds' ? article.values : [],
      tags: tags.flatMap(({ value }) =>
        article.audience === 'tags' && article.values.includes(fold(value)) ? [value] : [],
      ),
      expireOn: lastDay(article.expireAt, timeZone),
      isPinned: article.isPinned,
    },
    choices: {
      audience: offered.map((audience) => ({ value: audience, text: t(AUDIENCE_LABELS[audience]) })),
      tags: actor.hasAllClients ? tags : [],
    },
    submit: async ({ version, audience, kinds, tags: chosenTags, expireOn, isPinned }) => {
      const values = audience === 'kinds' ? kinds : audience === 'tags' ? chosenTags : [];
      const expireAt = expireOn === '' ? null : startOfDay(expireOn, timeZone, 1);
      await saveSettings(actor, article.id, version, { audience, values, expireAt, isPinned });
      return { to: here, flash: say('saved') };
    },
  });
  if (form instanceof Response || actor.hasAllClients) return form;
  return { ...form, fields: form.fields.filter(({ name }) => name !== 'kinds') };
}

/** Staff with assigned clients choose among these. */
const isOffered = (actor: Actor, audience: Audience, tags: readonly Choice[]): boolean =>
  actor.hasAllClients ? audience !== 'tags' || tags.length > 0 : audience === 'clients';

const MORNING = 9;

const publishingOf = (page: Page, article: WrittenArticle, { here, timeZone }: Context) => {
  const { locale, session } = page.locals;
  return useForm(page, publishForm, {
    values: {
      version: String(article.version),
      when: 'now',
      on: '',
      hour: String(MORNING),
      notifies: article.notifies,
    },
    choices: {
      hour: Array.from({ length: 24 }, (_, hour) => ({
        value: String(hour),
        text: formatHour(locale, hour),
      })),
    },
    vars: { timeZone },
    submit: async ({ version, when, on, hour, notifies }) => {
      const publishAt = when === 'now' ? undefined : timeOf(on, hour, timeZone);
      await publishArticle(session.actor, article.id, version, { publishAt, notifies });
      return { to: here, flash: say(when === 'now' ? 'published' : 'planned') };
    },
  });
};

/** A full hour of a day (epoch ms); INVALID if it is over. */
function timeOf(day: string, hour: number, timeZone: string): number {
  const time = Temporal.PlainDate.from(day).toZonedDateTime({
    timeZone,
    plainTime: Temporal.PlainTime.from({ hour }),
  }).epochMilliseconds;
  if (time <= now()) throw new PortalError('INVALID');
  return time;
}

/** The clients that an article is for, by name; those that the firm no longer works for are left out. */
async function chosenClients(actor: Actor, { values }: WrittenArticle) {
  const clients = [...(await clientsByIds(actor, values)).values()];
  return clients
    .map(({ id, name, code }) => ({ id, name, code }))
    .toSorted((a, b) => a.name.localeCompare(b.name));
}
