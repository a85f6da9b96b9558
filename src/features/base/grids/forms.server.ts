import { z } from 'zod';
import { defineForm } from '#platform/forms/forms.server.ts';
import { GRID_FORMS } from './rules.ts';

/** The columns that a person shows; its choices are those of the grid. */
export const columnsForm = defineForm('grids', () => ({
  id: GRID_FORMS.columns,
  title: 'columns',
  problemTitle: 'formProblem',
  submit: 'columnsSave',
  schema: z.object({ columns: z.array(z.string().max(60)).max(60) }),
  fields: { columns: { kind: 'checkboxes', label: 'columnsText' } },
}));

/** Saves the query of the page under a name. */
export const saveFilterForm = defineForm('grids', (message) => ({
  id: GRID_FORMS.saveFilter,
  title: 'filters',
  problemTitle: 'formProblem',
  submit: 'filterSave',
  schema: z.object({ name: z.string().trim().min(1, message('filterNameMissing')).max(60) }),
  fields: { name: { kind: 'text', label: 'filterName', maxlength: 60 } },
  refusals: { TOO_MANY: 'filtersFull' },
}));

/** Removes a saved filter: the button of each has its id. */
export const removeFilterForm = defineForm('grids', () => ({
  id: GRID_FORMS.removeFilter,
  title: 'filterRemove',
  problemTitle: 'formProblem',
  submit: 'filterRemove',
  schema: z.object({ filter: z.string().max(60) }),
  fields: { filter: { kind: 'hidden' } },
}));
