import { useForm, type Page as FormPage } from '#platform/forms/forms.server.ts';
import { LANGS, LANGUAGES, languageOf, type Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { changeConsentText, consentText } from './consent.server.ts';
import { consentForm } from './forms.server.ts';

interface Page extends FormPage {
  url: URL;
  locals: Pick<App.Locals, 'lang' | 'pathTo' | 'session'>;
}

/** The agreement to sign electronically in one language, which the owner of the firm changes on the page of its seal. */
export async function consentSection(page: Page) {
  const { lang, pathTo, session } = page.locals;
  const shown = languageOf(page.url.searchParams.get('text') ?? '') ?? lang;
  const addressOf = (text: Lang): string => `${pathTo('staff/seal', { text })}#consent-text`;
  const { actor } = session;
  const nameOf = (each: Lang): string => translationsFor(each, 'common')('languageName');
  const { paragraphs, version } = await consentText(actor.companyId, shown);
  const form = await useForm(page, consentForm, {
    values: { text: paragraphs.join('\n\n') },
    submit: async ({ text }, action) => {
      await changeConsentText(actor, shown, action === 'default' ? '' : text);
      return {
        to: addressOf(shown),
        flash: { type: 'success', namespace: 'signing', key: 'consentChanged' },
      };
    },
  });
  if (form instanceof Response) return form;
  return {
    form,
    version,
    language: nameOf(shown),
    languages: LANGS.map((each) => ({
      name: nameOf(each),
      tag: LANGUAGES[each],
      href: addressOf(each),
      isShown: each === shown,
    })),
  };
}
