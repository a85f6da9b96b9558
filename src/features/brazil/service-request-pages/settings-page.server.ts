import { REQUEST_TYPES, type RequestType } from '#features/brazil/service-request-forms/forms.ts';
import { rulesOf } from '#features/brazil/service-request-rules/kinds.ts';
import { choosableItems, DECISIONS, type Decision } from '#features/brazil/service-request-forms/overlay.ts';
import type { Item } from '#features/brazil/service-request-forms/build.ts';
import { languagesFrom } from '#features/tasks/starter-questionnaires/texts.ts';
import { textIn } from '#features/tasks/questionnaires/rules.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import type { RequestPage } from './request-page.server.ts';
import { changeSettings, settingsOf } from '#features/brazil/service-requests/settings.server.ts';

const TEXTS = { languages: languagesFrom('pt'), country: 'BR' } as const;

const isDecision = (value: unknown): value is Decision => DECISIONS.some((each) => each === value);

/** The prefix of the fields of questions: the rest is the path. */
const QUESTION = 'question:';
/** The same for the answers of the firm. */
const LOCKED = 'locked:';

/** The same for the rules that ask for a reason. */
const RULE = 'rule:';

/** What the firm decides about the requests of a kind, which the address names. */
export async function settingsPage(page: RequestPage) {
  const { lang, session, pathTo } = page.locals;
  const { actor } = session;
  const type = typeIn(page.url.searchParams.get('type'));
  const asking = (await rulesOf(type))?.asking ?? [];
  const hrefOf = (each: RequestType): string => pathTo('staff/service-requests/settings', { type: each });
  const done = await useActions(
    page,
    {
      save: async (_, posted) => {
        await changeSettings(actor, type, {
          isOpen: posted.has('isOpen'),
          lapseDays: Number(posted.get('lapseDays')),
          promiseDays: posted.get('promiseDays') ? Number(posted.get('promiseDays')) : null,
          ...decisionsIn(posted, type),
          softened: asking.filter((rule) => posted.get(RULE + rule) === 'warns'),
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
  const { isOpen, lapseDays, promiseDays, questions, locked, softened } = await settingsOf(
    actor.companyId,
    type,
  );
  return {
    types: REQUEST_TYPES.map((each) => ({
      text: t(`type_${each}`),
      href: hrefOf(each),
      isCurrent: each === type,
    })),
    title: t(`type_${type}`),
    isOpen,
    lapseDays,
    promiseDays,
    rules: asking.filter(isNamed).map((rule) => ({
      name: RULE + rule,
      label: t(`asking_${rule}`),
      choices: (['confirm', 'warns'] as const).map((value) => ({
        value,
        text: t(`rule_${value}`),
        isCurrent: softened.includes(rule) === (value === 'warns'),
      })),
    })),
    questions: choosableItems(type).map(({ path, item, decision, canBeLocked }) => ({
      name: QUESTION + path,
      label: textIn(item.label, lang, TEXTS),
      value: questions[path] ?? decision,
      decisions: DECISIONS.filter((each) => each !== 'locked' || canBeLocked).map((value) => ({
        value,
        text: t(`decision_${value}`),
      })),
      locked: canBeLocked ? { name: LOCKED + path, ...lockedField(item, locked[path], lang) } : undefined,
    })),
  };
}

/** The rules that may ask for a reason, which the page has names for. */
const NAMED = [
  'V2',
  'V3',
  'V4',
  'V7',
  'V11',
  'A1',
  'A3',
  'A8',
  'A9',
  'T7',
  'T9',
  'T12',
  'L4',
  'L12',
] as const;
const isNamed = (rule: string): rule is (typeof NAMED)[number] => NAMED.some((each) => each === rule);

const typeIn = (name: string | null): RequestType =>
  REQUEST_TYPES.find((each) => each === name) ?? 'employeeRegistration';

/** How the answer of the firm to a question is entered: its choices, or as text. */
function lockedField(item: Item, value: string | number | boolean | undefined, lang: Lang) {
  const t = translationsFor(lang, 'service-requests');
  const shown = typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value ?? '');
  const choices =
    item.kind === 'choice'
      ? item.choices.map(({ key, label }) => ({ value: key, text: textIn(label, lang, TEXTS) }))
      : item.kind === 'yesNo'
        ? (['yes', 'no'] as const).map((each) => ({ value: each, text: t(each) }))
        : undefined;
  return { value: shown, choices: choices && [{ value: '', text: t('lockedNone') }, ...choices] };
}

/** What differs from the form as it comes, with the answers of the firm. */
function decisionsIn(posted: FormData, type: RequestType) {
  const questions: Record<string, Decision> = {};
  const locked: Record<string, string | number | boolean> = {};
  for (const { path, item, decision } of choosableItems(type)) {
    const chosen = posted.get(QUESTION + path);
    if (!isDecision(chosen) || chosen === decision) continue;
    questions[path] = chosen;
    const value = posted.get(LOCKED + path);
    if (chosen === 'locked' && typeof value === 'string' && value !== '')
      locked[path] = answerOf(item, value);
  }
  return { questions, locked };
}

function answerOf({ kind }: Item, value: string): string | number | boolean {
  if (kind === 'yesNo') return value === 'yes';
  const number = Number(value.replace(',', '.'));
  // what is no number is refused as it was typed
  return kind === 'number' && !Number.isNaN(number) ? number : value;
}
