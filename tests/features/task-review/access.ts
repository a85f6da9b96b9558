import type { FeatureAccess } from '../../authz/feature-access.ts';
import { forStaff, toStaffWithId } from '../../authz/page-policy.ts';
import { actsFor, type Person, type Thing } from '../../authz/policy.ts';
import { notDeleted } from '../../authz/things.ts';

const isSeenTask = (person: Person, thing: Thing): boolean =>
  thing.client !== undefined &&
  actsFor(person).includes(thing.client) &&
  thing.id.startsWith('task_') &&
  thing.state === 'live';

export const access: FeatureAccess = {
  pages: {
    '/[base]/[lang]/staff/tasks/[taskId]': toStaffWithId,
  },
  ids: {
    'staff/tasks/': {
      // staff see deleted tasks, too, which they can restore: tests/features/tasks/service.test.ts
      things: (things) => notDeleted(things.task),
      opens: forStaff((person, thing) => isSeenTask(person, thing)),
    },
  },
};
