import { useMemo, useState, type RefObject } from 'react';
import { isSameAnswer, ownValue } from '#features/tasks/questionnaires/answer-values.ts';
import type { ControlValues } from '#features/tasks/questionnaires/editor.ts';
import type { AnswerValue, Answers } from '#features/tasks/questionnaires/questionnaires.ts';
import { questionAt } from '#features/tasks/questionnaires/rules.ts';
import type { AnswerQueue } from '../answer-queue.ts';
import { controlsOf, fillQuestion, valueIn } from './controls.ts';
import type { LastYearOffer } from './LastYearButton.tsx';
import type { StepEditorProps } from './step-editor.ts';

interface Parts {
  form: RefObject<HTMLFormElement | null>;
  queue: AnswerQueue;
  answers: Answers;
  /** The path of the question that a control belongs to. */
  ownerOf: (name: string) => string | undefined;
  /** Takes the answer that the form contains for a question, or `value`, which the form shows. */
  take: (path: string, value?: AnswerValue) => void;
}

/** Returns what the button for last year's answer to a question does; undefined if there is none. */
export function useLastYear(
  { section, lang }: StepEditorProps,
  { form, queue, answers, ownerOf, take }: Parts,
): (path: string) => LastYearOffer | undefined {
  const { template } = section;
  /** What controls contained before last year's answers were used. */
  const [replaced, setReplaced] = useState<Readonly<Record<string, ControlValues>>>({});
  const lastYear = useMemo(
    () =>
      new Map(
        Object.entries(section.lastYear).flatMap(([path, contents]) => {
          const question = questionAt(template, path);
          if (!question || question.kind === 'files') return [];
          const value = valueIn(contents, path, question, { lang, country: template.country });
          return value === undefined ? [] : [[path, { contents, value }] as const];
        }),
      ),
    [section.lastYear, template, lang],
  );

  /** Fills a question with last year's answer, or with what its controls contained before. */
  async function switchAnswer(path: string, isUsed: boolean): Promise<void> {
    const last = lastYear.get(path);
    const node = form.current;
    if (!node || !last) return;
    const { [path]: before, ...others } = replaced;
    if (isUsed && before) {
      setReplaced(others);
      await fillQuestion(node, path, before);
      take(path);
    } else {
      setReplaced({ ...replaced, [path]: controlsOf(node, (name) => ownerOf(name) === path) });
      await fillQuestion(node, path, last.contents);
      take(path, { same: true, of: last.value });
    }
    void queue.flush();
  }

  return (path) => {
    const last = lastYear.get(path);
    if (!last) return undefined;
    const isUsed = isSameAnswer(ownValue(answers[path]), last.value);
    if (isUsed && !replaced[path]) return undefined;
    return { isUsed, onPress: () => void switchAnswer(path, isUsed) };
  };
}
