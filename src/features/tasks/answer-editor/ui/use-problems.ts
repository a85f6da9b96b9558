import { useStore } from '@nanostores/react';
import { useMemo, useState } from 'react';
import type { EditorSection } from '#features/tasks/questionnaires/editor.ts';
import { problemMessage } from '#features/tasks/questionnaires/problem-messages.ts';
import { sectionProblems, type VisibleSection } from '#features/tasks/questionnaires/rules.ts';
import type { Problem } from '#platform/forms/forms.ts';
import { createTranslator } from '#platform/text/messages.ts';
import type { AnswerQueue } from '../answer-queue.ts';
import { $remarks } from '../remarks.ts';
import { pathOfControl } from './controls.ts';
import type { StepEditorProps } from './step-editor.ts';

interface Parts {
  queue: AnswerQueue;
  visible: VisibleSection | undefined;
}

/** The problems at the fields: those the page was loaded with, those found when saving, and those found here. */
export function useProblems(props: StepEditorProps, { queue, visible }: Parts) {
  const { section, lang } = props;
  const { template } = section;
  const findings = useStore(queue.$findings, { ssr: 'initial' });
  const remarks = useStore($remarks, { ssr: 'initial' });
  /** Questions whose problems are shown: those that were left; and those whose first problem is outdated. */
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [changed, setChanged] = useState<ReadonlySet<string>>(new Set());
  const texts = useMemo(
    () => ({
      shared: createTranslator(props.sharedWords),
      own: createTranslator(props.problemWords),
      lang,
    }),
    [props.sharedWords, props.problemWords, lang],
  );

  const problems = new Map<string, string>();
  for (const [path, said] of Object.entries(remarks)) {
    const forbidden = said.find(({ severity }) => severity === 'blocks');
    if (forbidden) problems.set(path, `${forbidden.text} (${forbidden.law})`);
  }
  const loaded = [...ownProblems(section), ...props.problems];
  for (const { field, text } of loaded)
    if (field !== undefined && !changed.has(pathOfControl(template, field) ?? field))
      problems.set(field, text);
  for (const problem of Object.values(findings)) if (problem) problems.set(problem.path, problem.text);
  for (const { path, ...problem } of visible ? sectionProblems(visible, 'typing') : [])
    if (left.has(pathOfControl(template, path) ?? path)) problems.set(path, problemMessage(problem, texts));

  return {
    problemAt: (name: string): string | undefined => problems.get(name),
    noteLeft: (path: string): void =>
      setLeft((paths) => (paths.has(path) ? paths : new Set(paths).add(path))),
    noteChanged: (path: string): void => setChanged((paths) => new Set(paths).add(path)),
  };
}

/** What fields say themselves, such as why the firm returned them. */
const ownProblems = ({ items }: EditorSection): Problem[] =>
  items.flatMap((item) => {
    const fields =
      item.kind === 'question'
        ? item.fields
        : [
            { name: item.path, problem: item.problem },
            ...Object.values(item.rows).flatMap((row) => Object.values(row).flat()),
          ];
    return fields.flatMap(({ name, problem }) =>
      problem === undefined ? [] : [{ field: name, text: problem }],
    );
  });
