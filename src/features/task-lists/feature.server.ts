import { gridRoutes } from '#features/grids/grid-api.server.ts';
import type { FeatureApi } from '#features/people/people.server.ts';
import { defineFeature } from '#platform/feature.server.ts';
import { taskListsApi } from './api.server.ts';
import { tasksGrid } from './tasks-grid.server.ts';

export const taskLists = defineFeature<FeatureApi>({
  name: 'task-lists',
  api: { app: taskListsApi, routes: gridRoutes(tasksGrid, { who: 'staff' }) },
});
