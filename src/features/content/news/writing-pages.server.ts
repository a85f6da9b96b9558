import { clientsByIds } from '#features/clients/clients/clients.server.ts';
import { selectedInAddress } from '#features/clients/clients/firm-clients-page.server.ts';
import { languageOfFirm } from '#features/base/firms/firms.server.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import {
  answerTo,
  languageChoices,
  useForm,
  type Destination,
  type Page as FormPage,
} from '#platform/forms/forms.server.ts';
import { formatNumber } from '#platform/text/formats.ts';
import { isLang, LANGS, LANGUAGES, type Lang } from '#platform/text/languages.ts';
import { useList } from '#platform/forms/lists.server.ts';
import type { KeysOf } from '#platform/text/translations.server.ts';
import { ARTICLES_A_PAGE, listOwnArticles, writtenArticle } from './articles.server.ts';
import { newArticleForm, textForm } from './forms.server.ts';
import { articleList } from './lists.server.ts';
import { MAX_BLOCK, MAX_BODY, MAX_CHOSEN } from './news.ts';
import { tagNames } from './sentences.server.ts';
import type { ArticleText } from './texts.server.ts';
import { createArticle, removeText, saveText } from './writing.server.ts';

interface Page extends FormPage {
  url: URL;
  locals: Pick<App.Locals, 'lang' | 'locale' | 'pathTo' | 'session' | 'timeZone'>;
}

/** The message that something about an article was done, or why not. */
export const say = (
  key: KeysOf<'news'>,
  type: 'success' | 'danger' = 'success',
): NonNullable<Destination['flash']> => ({ type, namespace: 'news', key });

/** The articles of the firm. */
export async function newsListPage(page: Page) {
  const { lang, session } = page.locals;
  const list = useList(page, articleList);
  const { articles, total } = await listOwnArticles(session.actor, lang, list.query);
  const hasTags = articles.some(({ audience }) => audience === 'tags');
  return {
    articles,
    show: list.query.show,
    urlFor: list.urlFor,
    pager: list.pager(total, ARTICLES_A_PAGE),
    tags: hasTags ? await tagNames(session.actor) : new Map<string, string>(),
  };
}

/** What a page shows of a text that is being written, as its readers will see it. */
export interface Preview {
  title: string;
  summary: string;
  body: string;
  language: string;
}

/** The limits that messages of the forms name. */
const limits = (locale: string) => ({
  most: formatNumber(locale, MAX_BLOCK),
  max: formatNumber(locale, MAX_BODY),
});

/** The button beside the one that saves. */
export const PREVIEW = 'preview';

/**
 * Begins an article, in the language of the firm unless another one is chosen: for all clients, or a message to those that
 * were selected in their list, which the address names.
 */
export async function newArticlePage(page: Page) {
  const { pathTo, session } = page.locals;
  const chosen = await selectedInAddress(session.actor, page.url);
  if (chosen.length > MAX_CHOSEN)
    return answerTo({
      to: pathTo('staff/clients'),
      flash: { type: 'danger', namespace: 'records', key: 'tooManyClients', vars: { most: MAX_CHOSEN } },
    });
  let preview: Preview | undefined;
  const form = await useForm(page, newArticleForm, {
    values: { language: await languageOfFirm(session.actor.companyId) },
    choices: { language: languageChoices(LANGS, (lang) => lang) },
    vars: limits(page.locals.locale),
    submit: async ({ language, ...text }, action) => {
      const written = { lang: language, ...text };
      if (action === PREVIEW) preview = previewOf(written);
      if (preview) return undefined;
      const id = await createArticle(session.actor, written, chosen);
      return { to: pathTo(`staff/news/${id}`), flash: say('created') };
    },
  });
  if (form instanceof Response) return form;
  return { form, preview, clients: [...(await clientsByIds(session.actor, chosen)).values()] };
}

export const previewOf = ({ lang, title, summary, body }: ArticleText): Preview => ({
  title,
  summary,
  body,
  language: LANGUAGES[lang],
});

/**
 * Changes what an article says in a language, or adds one. If somebody else has changed it meanwhile, what was typed stays
 * in the form, and their text is shown below: saving again replaces it.
 */
export async function editArticlePage(page: Page, articleId: string) {
  const { pathTo, session } = page.locals;
  const { actor } = session;
  const article = await writtenArticle(actor, articleId);
  const lang = languageIn(page.url) ?? article.language;
  const stored = article.texts.find((text) => text.lang === lang);
  const back = pathTo(`staff/news/${articleId}`, { text: lang });
  const done = await useActions(page, {
    remove: async () => {
      await removeText(actor, articleId, lang);
      return { to: pathTo(`staff/news/${articleId}`), flash: say('textRemoved') };
    },
  });
  if (done) return done;
  let preview: Preview | undefined;
  let isConflict = false;
  const form = await useForm(page, textForm, {
    values: { version: String(article.version), ...stored },
    vars: limits(page.locals.locale),
    submit: async ({ version, ...text }, action) => {
      const written = { lang, ...text };
      if (action === PREVIEW) preview = previewOf(written);
      if (preview) return undefined;
      try {
        await saveText(actor, articleId, version, written);
      } catch (error) {
        isConflict = refusal(error)?.code === 'EDIT_CONFLICT';
        throw error;
      }
      return { to: back, flash: say('saved') };
    },
  });
  if (form instanceof Response) return form;
  return {
    article,
    lang,
    form,
    preview,
    back,
    /** Whether the text can be removed: of a language besides the one that the article was begun in. */
    isRemovable: stored !== undefined && lang !== article.language,
    /** What somebody else has written meanwhile. */
    theirs: isConflict ? stored : undefined,
    languages: languageLinks(
      article.texts,
      (each) => pathTo(`staff/news/${articleId}/edit`, { text: each }),
      lang,
    ),
  };
}

/** A language of an article in a list of links. */
export interface LanguageLink {
  lang: Lang;
  href: string;
  isCurrent: boolean;
  isWritten: boolean;
}

export const languageLinks = (
  texts: readonly ArticleText[],
  urlFor: (lang: Lang) => string,
  current: Lang,
): LanguageLink[] =>
  LANGS.map((lang) => ({
    lang,
    href: urlFor(lang),
    isCurrent: lang === current,
    isWritten: texts.some((text) => text.lang === lang),
  }));

/** The language of an article that the address names. */
export function languageIn({ searchParams }: URL): Lang | undefined {
  const named = searchParams.get('text') ?? undefined;
  return isLang(named) ? named : undefined;
}
