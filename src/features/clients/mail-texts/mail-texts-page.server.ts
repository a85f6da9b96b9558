import { languageOfFirm } from '#features/base/firms/firms.server.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import { useForm, type Page as FormPage } from '#platform/forms/forms.server.ts';
import { mailKind } from '#platform/mail/mail-kinds.server.ts';
import type { OptionalKind } from '#platform/mail/mail-kinds.ts';
import { isLang, LANGS, LANGUAGES, type Lang } from '#platform/text/languages.ts';
import { translate } from '#platform/text/texts.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { mailTextForm } from './forms.server.ts';
import { PLACEHOLDERS } from './mail-texts.ts';
import { ownText, ownTexts, saveOwnText, wordedKinds, wordsOf } from './own-texts.server.ts';

interface Page extends FormPage {
  url: URL;
  locals: Pick<App.Locals, 'lang' | 'pathTo' | 'session' | 'firm'>;
}

/** A kind or a language that is written for, as a link. */
interface Choice {
  text: string;
  href: string;
  isCurrent: boolean;
  /** Whether the firm has a text of its own. */
  isOwn: boolean;
  /** The language of the text (BCP 47). */
  language?: string;
}

/** The button that shows what an email would look like. */
export const PREVIEW = 'preview';

/** What a firm writes into emails of the kind and the language that the address names. */
export async function mailTextsPage(page: Page) {
  const { lang, pathTo, session } = page.locals;
  const { actor } = session;
  const kind = kindIn(page.url);
  const written = await languageIn(page.url, actor.companyId);
  const address = (change: { kind?: string; text?: string }): string =>
    pathTo('staff/mail-texts', { kind, text: written, ...change });
  const t = translationsFor(lang, 'mail-texts');
  const flash = (key: 'saved' | 'wasReset') => ({ type: 'success', namespace: 'mail-texts', key }) as const;
  const stored = await ownText(actor.companyId, kind, written);
  const done = await useActions(page, {
    reset: async () => {
      await saveOwnText(actor, kind, written, {
        subject: '',
        introduction: '',
        version: stored?.version ?? 0,
      });
      return { to: address({}), flash: flash('wasReset') };
    },
  });
  if (done) return done;
  let preview = stored;
  let isUnsaved = false;
  const form = await useForm(page, mailTextForm, {
    values: { subject: '', introduction: '', ...stored, version: String(stored?.version ?? 0) },
    vars: { placeholders: PLACEHOLDERS.map((name) => `{${name}}`).join(', ') },
    submit: async (text, action) => {
      if (action === PREVIEW) {
        preview = text;
        isUnsaved = true;
        return undefined;
      }
      await saveOwnText(actor, kind, written, text);
      return { to: address({}), flash: flash('saved') };
    },
  });
  if (form instanceof Response) return form;
  const own = await ownTexts(actor.companyId);
  const nameOf = (one: OptionalKind): string => {
    const label = mailKind(one)?.label;
    return label ? translate(lang, label) : one;
  };
  const kinds: Choice[] = wordedKinds().map((one) => ({
    text: nameOf(one),
    href: address({ kind: one }),
    isCurrent: one === kind,
    isOwn: own.some((text) => text.kind === one),
  }));
  const languages: Choice[] = LANGS.map((one) => ({
    text: translationsFor(one, 'common')('languageName'),
    href: address({ text: one }),
    isCurrent: one === written,
    isOwn: own.some((text) => text.kind === kind && text.lang === one),
    language: LANGUAGES[one],
  }));
  return {
    form,
    kinds,
    languages,
    hasOwn: stored !== undefined,
    isUnsaved,
    language: LANGUAGES[written],
    preview: wordsOf(preview ?? { subject: '', introduction: '' }, {
      firm: page.locals.firm?.name ?? '',
      name: actor.firstName,
      subject: t('exampleSubject', { kind: nameOf(kind) }),
    }),
  };
}

function kindIn({ searchParams }: URL): OptionalKind {
  const kinds = wordedKinds();
  const [first] = kinds;
  const named = kinds.find((kind) => kind === searchParams.get('kind'));
  if (!first) throw new Error('No feature sends emails that clients can turn off.');
  return named ?? first;
}

async function languageIn({ searchParams }: URL, companyId: string): Promise<Lang> {
  const named = searchParams.get('text') ?? undefined;
  return isLang(named) ? named : languageOfFirm(companyId);
}
