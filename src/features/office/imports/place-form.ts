import type { TablePlace } from '#platform/tabular/tabular.ts';

/** Where the table is in a file, as a form or a query says. */
export function placeIn(value: (field: 'sheet' | 'headingLine') => string | undefined): TablePlace {
  const sheet = (value('sheet') ?? '').trim().slice(0, 100);
  const line = Number(value('headingLine'));
  return {
    ...(sheet !== '' && { sheet }),
    ...(Number.isInteger(line) && line > 0 && { headingLine: line }),
  };
}
