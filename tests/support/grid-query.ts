import type { GridQuery } from '#features/base/grids/grids.ts';

/** The query of a grid as it is opened: all rows in their usual order. */
export const NO_QUERY: GridQuery = {
  searchTerm: '',
  fields: {},
  filter: undefined,
  orderBy: [],
  groupBy: [],
  path: [],
  after: undefined,
};
