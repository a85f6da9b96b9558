import { $filled, $remarks, type Remark } from '#features/tasks/answer-editor/remarks.ts';
import { createTranslator } from '#platform/text/messages.ts';
import type { Answers } from '#features/tasks/questionnaires/questionnaires.ts';
import type { KindRules, Words } from './kind-rules.ts';
import { rulesOf } from './kinds.ts';
import { checkAnswers, withTyped, type Preflight } from './preflight.ts';
import { prepareTexts } from './texts.ts';

/*
 * Checks a step of a request while somebody types: what the rules say appears beside the fields, and is read out when it
 * changes. The server checks again before anything is sent.
 */

/** How long nothing must be typed before a change of what the rules say is read out, in ms. */
const QUIET = 1000;

const MARKS = {
  blocks: 'severityBlocks',
  confirm: 'severityConfirm',
  warns: 'severityWarns',
  informs: 'severityInforms',
} as const;

interface Step {
  /** Where the portal says what the rules need. */
  address: string;
  /** The key of the section. */
  step: string;
  /** Reads out what is written into it. */
  region: HTMLElement;
}

/** Begins to check. Says nothing while the portal cannot be asked. */
export async function checkWhileTyping({ address, step, region }: Step): Promise<void> {
  const first = await loadPreflight(address);
  const rules = first && (await rulesOf(first.type));
  if (!rules) return;
  let preflight = first;
  prepareTexts(wordsOf(first), first.facts.today);
  /** The answers that decide which facts are needed, when these were loaded; undefined while they are loaded. */
  let loadedFor: string | undefined;
  const announce = announcer(region);

  const answersNow = (): Answers | undefined => {
    const filled = $filled.get();
    return filled && withTyped(preflight, step, filled);
  };
  const check = (): void => {
    const answers = answersNow();
    if (!answers) return;
    loadedFor ??= decidingAnswers(rules, answers);
    if (loadedFor !== decidingAnswers(rules, answers)) return forget(answers);
    const words = wordsOf(preflight);
    const remarks = remarksOf(checkAnswers(rules, { ...preflight, answers, words }), step, words);
    if (isSame(remarks, $remarks.get())) return;
    $remarks.set(remarks);
    announce(remarks, words);
  };
  let isLoading = false;
  /** What was known is about another employee or place: it is asked for again when the answer is saved. */
  const forget = (answers: Answers): void => {
    if (Object.keys($remarks.get()).length > 0) $remarks.set({});
    if (isLoading || !isSaved()) return;
    isLoading = true;
    const wanted = decidingAnswers(rules, answers);
    void loadPreflight(address).then((loaded) => {
      isLoading = false;
      loadedFor = wanted;
      if (loaded) preflight = loaded;
      check();
    });
  };
  let isListening = false;
  $filled.subscribe((filled) => {
    if (!isListening && filled?.queue) filled.queue.$state.listen(check);
    isListening ||= filled?.queue !== undefined;
    check();
  });
}

const isSaved = (): boolean => ['idle', 'saved'].includes($filled.get()?.queue?.$state.get() ?? '');

const loadPreflight = async (address: string): Promise<Preflight | undefined> => {
  const response = await fetch(address).catch(() => undefined);
  return response?.ok
    ? (((await response.json()) as { data: Preflight | null }).data ?? undefined)
    : undefined;
};

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

const decidingAnswers = ({ needs }: KindRules, answers: Answers): string =>
  JSON.stringify([needs.employee, needs.place, needs.cpf].map((path) => path && answers[path]));

const wordsOf = ({ lang, texts }: Preflight): Words => ({
  lang,
  own: createTranslator(texts.own),
  estimates: createTranslator(texts.estimates),
});

type Remarks = Record<string, readonly Remark[]>;

/** What is said in a step: at its questions; what is about none of them, or forbids an answer of another step, below. */
function remarksOf(found: ReturnType<typeof checkAnswers>, step: string, { estimates }: Words): Remarks {
  const remarks: Record<string, Remark[]> = {};
  for (const { rule, severity, path, text, law } of found) {
    const isHere = path.startsWith(`${step}.`);
    if (!isHere && path !== '' && severity !== 'blocks') continue;
    (remarks[isHere ? path : ''] ??= []).push({
      rule,
      severity,
      mark: estimates(MARKS[severity]),
      text,
      law,
    });
  }
  return remarks;
}

/** Returns what reads out what has been added, or that nothing forbids the answers any more, once it stays so. */
function announcer(region: HTMLElement): (remarks: Remarks, words: Words) => void {
  let known = new Set<string>();
  let wasForbidden = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  return (remarks, { own }) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const all = Object.values(remarks).flat();
      const texts = all.map(({ mark, text }) => `${mark} ${text}`);
      const added = texts.filter((text) => !known.has(text));
      const isForbidden = all.some(({ severity }) => severity === 'blocks');
      const isResolved = wasForbidden && !isForbidden;
      region.textContent = [...(isResolved ? [own('ruleResolved')] : []), ...added].join(' ');
      known = new Set(texts);
      wasForbidden = isForbidden;
    }, QUIET);
  };
}
