import type { Contributions } from '#platform/runtime/feature.server.ts';
import { addTaskMessage } from './messages.server.ts';

export const story: Contributions['story'] = {
  salesTaxTask: async ({ firm, olivia, taskId }) => {
    await addTaskMessage(olivia, taskId, {
      text: 'The delivery platform sends its statements on the 12th.\nIs that early enough?',
    });
    await addTaskMessage(firm, taskId, {
      text: 'Late every year: ask the platform for access of our own.',
      isInternal: true,
    });
    await addTaskMessage(firm, taskId, { text: 'Yes, if you upload them the same day.' });
  },
};
