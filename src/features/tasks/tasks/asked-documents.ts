import type { Template } from '#features/tasks/questionnaires/questionnaires.ts';

/** The documents that a form asks about, by the paths of their questions. */
export const documentsAsked = (form: Template): Map<string, string> =>
  new Map(
    form.sections.flatMap(({ key, items }) =>
      items.flatMap((item) =>
        'document' in item && item.document !== undefined
          ? [[`${key}.${item.key}`, item.document] as const]
          : [],
      ),
    ),
  );
