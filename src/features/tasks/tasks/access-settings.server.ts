import type { Contributions } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';

export const accessSettings: Contributions['access'] = [
  {
    name: 'HideTasks',
    place: 'the tasks page and its tab; src/routes.ts',
    row: { group: 'areas', order: 70, label: text('portal', 'tabTasks'), isShown: true, isInverted: true },
  },
  {
    name: 'HideEsignTask',
    place: 'tasks of this type, pages and calls; src/features/tasks/tasks/scope.server.ts',
    row: { group: 'tasks', order: 10, label: text('portal', 'rowSigning'), isShown: true, isInverted: true },
  },
  {
    name: 'HideDocRequestTask',
    place: 'tasks of this type, pages and calls; src/features/tasks/tasks/scope.server.ts',
    row: { group: 'tasks', order: 20, label: text('portal', 'rowRequests'), isShown: true, isInverted: true },
  },
  {
    name: 'HideInvoiceTask',
    place: 'tasks of this type, pages and calls; src/features/tasks/tasks/scope.server.ts',
    row: { group: 'tasks', order: 30, label: text('portal', 'rowInvoices'), isShown: true, isInverted: true },
  },
  {
    name: 'invoiceTask',
    place: 'tasks of this type, pages and calls; src/features/tasks/tasks/scope.server.ts',
    row: {
      group: 'tasks',
      order: 40,
      label: text('portal', 'rowInvoices'),
      isShown: true,
      secondWhen: false,
    },
  },
  {
    name: 'ShowClientCenterNewTaskList',
    place: 'the side menu on the tasks page; src/layouts/Tabs.astro',
    row: { group: 'tasks', order: 50, label: text('portal', 'rowTaskMenu'), isShown: true, isInverted: true },
  },
];
