import { gridRoutes } from '#features/base/grids/grid-api.server.ts';
import type { FeatureApi } from '#features/base/people/people.server.ts';
import { defineFeature } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { taskListsApi } from './api.server.ts';
import { tasksGrid } from './tasks-grid.server.ts';
import { companyFacts, tasksWidget } from './home-widget.server.ts';
import { newTasks } from './new-task-choices.server.ts';
import { figures } from './figures.server.ts';
import { overviewTables } from './overview-tables.server.ts';
import { searchKinds } from './search-kinds.server.ts';

export const taskLists = defineFeature<FeatureApi>({
  name: 'task-lists',
  navigation: [
    { side: 'client', page: 'tasks', order: 20, label: text('portal', 'tabTasks'), icon: 'clipboard-list' },
    {
      side: 'staff',
      page: 'staff/tasks',
      order: 30,
      label: text('tasks', 'title'),
      icon: 'clipboard-list',
      key: 't',
    },
    ...newTasks,
  ],
  widgets: [tasksWidget],
  companyFacts,
  search: searchKinds,
  figures,
  overviewTables,
  api: { app: taskListsApi, routes: gridRoutes(tasksGrid, { who: 'staff' }) },
});
