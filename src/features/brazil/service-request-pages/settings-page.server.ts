import { REQUEST_TYPES, type RequestType } from '#features/brazil/service-request-forms/forms.ts';
import { choosableItems, DECISIONS, type Decision } from '#features/brazil/service-request-forms/overlay.ts';
import { languagesFrom } from '#features/tasks/starter-questionnaires/texts.ts';
import { textIn } from '#features/tasks/questionnaires/rules.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import type { RequestPage } from './request-page.server.ts';
import { changeSettings, settingsOf } from '#features/brazil/service-requests/settings.server.ts';

const TEXTS = { languages: languagesFrom('pt'), country: 'BR' } as const;

const isDecision = (value: unknown): value is Decision => DECISIONS.some((each) => each === value);

/** The prefix of the fields of questions: the rest is the path. */
const QUESTION = 'question:';

/** What the firm decides about the requests of a kind, which the address names. */
export async function settingsPage(page: RequestPage) {
  const { lang, session, pathTo } = page.locals;
  const { actor } = session;
  const type = typeIn(page.url.searchParams.get('type'));
  const hrefOf = (each: RequestType): string => pathTo('staff/service-requests/settings', { type: each });
  const done = await useActions(
    page,
    {
      save: async (_, posted) => {
        await changeSettings(actor, type, {
          isOpen: posted.has('isOpen'),
          lapseDays: Number(posted.get('lapseDays')),
          questions: decisionsIn(posted),
        });
        return { to: hrefOf(type), flash: { type: 'success', namespace: 'service-requests', key: 'saved' } };
      },
    },
    ({ code }) =>
      code === 'INVALID'
        ? {
            to: hrefOf(type),
            flash: { type: 'danger', namespace: 'service-requests', key: 'settingsWrong' },
          }
        : undefined,
  );
  if (done) return done;
  const t = translationsFor(lang, 'service-requests');
  const { isOpen, lapseDays, questions } = await settingsOf(actor.companyId, type);
  return {
    types: REQUEST_TYPES.map((each) => ({
      text: t(`type_${each}`),
      href: hrefOf(each),
      isCurrent: each === type,
    })),
    title: t(`type_${type}`),
    isOpen,
    lapseDays,
    decisions: DECISIONS.map((value) => ({ value, text: t(`decision_${value}`) })),
    questions: choosableItems(type).map(({ path, item }) => ({
      name: QUESTION + path,
      label: textIn(item.label, lang, TEXTS),
      value: questions[path] ?? 'optional',
    })),
  };
}

const typeIn = (name: string | null): RequestType =>
  REQUEST_TYPES.find((each) => each === name) ?? 'employeeRegistration';

/** What differs from the form as it comes. */
const decisionsIn = (posted: FormData): Record<string, Decision> =>
  Object.fromEntries(
    [...posted].flatMap(([name, value]): [string, Decision][] =>
      name.startsWith(QUESTION) && isDecision(value) && value !== 'optional'
        ? [[name.slice(QUESTION.length), value]]
        : [],
    ),
  );
