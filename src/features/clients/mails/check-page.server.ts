import { useForm, type Page as FormPage } from '#platform/forms/forms.server.ts';
import type { FormView } from '#platform/forms/forms.ts';
import { formatDate } from '#platform/text/formats.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { checkMail, type CheckedMail } from './check.server.ts';
import { checkForm } from './forms.server.ts';
import { kindText } from './texts.server.ts';

interface Page extends FormPage {
  locals: Pick<App.Locals, 'lang' | 'locale' | 'network' | 'firm'>;
}

interface CheckView {
  form: FormView;
  /** The answer, once a code was sent. */
  result: { isOurs: boolean; text: string } | undefined;
}

/** The page on which anyone checks whether the portal sent an email. */
export async function checkPage(page: Page): Promise<CheckView | Response> {
  const { lang, network } = page.locals;
  let result: CheckView['result'];
  const form = await useForm(page, checkForm, {
    submit: async ({ code }) => {
      const mail = await checkMail(code, network);
      result = mail
        ? { isOurs: true, text: sentenceOf(page, mail) }
        : { isOurs: false, text: translationsFor(lang, 'mails')('checkNo') };
      return undefined; // the page shows the result
    },
  });
  return form instanceof Response ? form : { form, result };
}

function sentenceOf(
  { locals: { lang, locale } }: Page,
  { kind, firm, sentAt, initial }: CheckedMail,
): string {
  const t = translationsFor(lang, 'mails');
  const vars = {
    firm: firm?.name ?? translationsFor(lang, 'mail')('portalName'),
    kind: kindText(lang, kind),
    date: formatDate(locale, sentAt, firm?.timeZone ?? 'UTC'),
    initial: initial ?? '',
  };
  return t(initial === undefined ? 'checkYesGone' : 'checkYes', vars);
}
