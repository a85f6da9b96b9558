import { defineList } from '#platform/forms/lists.server.ts';
import { notificationQuery } from './notifications.ts';

export const notificationList = defineList('notifications', {
  schema: notificationQuery,
  position: 'before',
});
