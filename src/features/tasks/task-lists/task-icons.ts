import type { TaskType } from '#features/tasks/tasks/tasks.ts';
import type { IconName } from '#ui/icons.ts';

/** The icon of each type of task. */
export const TASK_ICONS: Record<TaskType, IconName> = {
  questionnaire: 'clipboard-list',
  esign: 'pen-line',
  payment_request: 'receipt-text',
  document_request: 'upload',
  document_review: 'file-check',
  misc: 'file',
};
